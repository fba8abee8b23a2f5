// Runs what pages of the documentation show: commands, requests, programs and configuration, in the order of each page.
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { assemble } from '../../../packages/gateway/src/config/assemble.ts'
import { BUILT_IN } from '../../../packages/gateway/src/server/config.ts'
import { type Block, blocksOf, ROOT, readPage } from '../../../test/support/documentation/blocks.ts'
import type { Gateway } from '../../../test/support/gateway/gateway.ts'
import { jsonDifference, jsonIn, missingLines } from './compare.ts'
import {
  type Output,
  openPageShell,
  type PageShell,
  preparePage,
  startGatewayOfVendor,
  startPageGateway,
  variablesOf,
} from './page-shell.ts'

/** Shown only: nothing here reads them, and they claim no response. */
const SHOWN = ['http', 'text', 'ini', 'nginx', 'toml', 'caddyfile', 'yml', 'sql', 'prometheus']

/** Its examples also show defaults, which a test of its own compares. */
const CONFIGURATION = {
  page: 'docs/reference/configuration.md',
  test: 'packages/gateway/src/config/documentation.test.ts',
}

export function testPages(pages: readonly string[]): void {
  // Pages without commands cannot get in each other's way.
  let shared: Promise<Gateway> | undefined
  const gatewayOf = (blocks: readonly Block[]): Promise<Gateway> => {
    const config = blocks.find(({ mark }) => mark !== undefined && 'isUsed' in mark)?.code
    const vendorKey = blocks.flatMap(({ mark }) =>
      mark !== undefined && 'vendorKey' in mark ? [mark.vendorKey] : [],
    )[0]
    if (vendorKey !== undefined) return startGatewayOfVendor(vendorKey)
    const isOwn =
      config !== undefined || blocks.some(({ code }) => /\btrivium (?!-)|trivium -- |ADMIN_KEY|\/v1\/usage/.test(code))
    if (isOwn) return startPageGateway(config)
    shared ??= startPageGateway()
    return shared
  }
  afterAll(async () => (await shared)?.stop())

  describe.each(pages.filter((page) => blocksOf(page).length > 0))('%s', (page) => {
    const blocks = blocksOf(page)
    const commands = blocks.map(({ code }) => code).join('\n')
    let gateway: Gateway | undefined
    let shell: PageShell | undefined
    let last: Output | undefined
    afterAll(async () => {
      await shell?.stop()
      if (gateway !== undefined && gateway !== (await shared)) await gateway.stop()
    })
    const open = async (): Promise<PageShell> => {
      gateway ??= await gatewayOf(blocks)
      shell ??= await openPageShell(page, gateway, await preparePage(commands, gateway))
      return shell
    }
    const run = async (block: Block): Promise<void> => {
      const { language, code, mark, isBelow } = block
      if (mark && 'checkedBy' in mark) {
        // That test names the page that it reads.
        expect(existsSync(join(ROOT, mark.checkedBy)) && readPage(mark.checkedBy)).toContain(basename(page, '.md'))
      } else if (mark && 'vendorKey' in mark) {
        // The gateway of the page was started so.
        expect(code).toMatch(new RegExp(`${mark.vendorKey}=[\\s\\S]*npm start`))
      } else if (mark && 'notRun' in mark) {
        expect(mark.notRun).not.toBe('')
      } else if (language === 'sh' || language === 'ts' || language === 'js') {
        last = language === 'sh' ? await (await open()).run(code) : await (await open()).runProgram(code)
        expect({ exit: last.code, errors: last.code === 0 ? '' : last.stderr }).toEqual({ exit: 0, errors: '' })
      } else if (language === 'yaml' && page === CONFIGURATION.page) {
        expect(readPage(CONFIGURATION.test)).toContain(page)
      } else if (language === 'yaml') {
        expect(mistakesIn(code)).toEqual([])
      } else if (isBelow && last && language === 'json') {
        expect(jsonDifference(JSON.parse(code), jsonIn(last.stdout))).toBeUndefined()
      } else if (isBelow && last && language === 'text') {
        expect(missingLines(code, `${last.stdout}\n${last.stderr}`)).toEqual([])
      } else {
        expect(SHOWN).toContain(language)
      }
    }
    for (const block of blocks) {
      const [first = ''] = block.code.split('\n')
      test(`line ${block.line}: ${first.slice(0, 80)}`, async () => {
        const before = last
        await run(block)
        // Output belongs to the block directly above only.
        if (last === before && block.language !== 'json') last = undefined
      })
    }
  })
}

function mistakesIn(source: string): unknown {
  const file = join(ROOT, 'packages/gateway/fixtures/trivium.yaml')
  return assemble({ source, file, env: variablesOf(source) }, BUILT_IN).mistakes
}
