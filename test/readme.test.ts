// The calls that the README shows, run as they stand there: only the address and the key are filled in.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Gateway, startGateway } from './support/gateway/gateway.ts'

const ROOT = join(import.meta.dir, '..')
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const section = readme.slice(readme.indexOf('## A first call'), readme.indexOf('## Your own upstream'))
const blocksOf = (language: string) =>
  [...section.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, code = '']) => code)
const curls = blocksOf('sh')
const programs = blocksOf('ts')
/** Inside the project, so that a program finds the SDKs as a user's would. */
const folder = join(ROOT, 'node_modules/.cache/readme-calls')

let gateway: Gateway
beforeAll(async () => {
  gateway = await startGateway()
  mkdirSync(folder, { recursive: true })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await gateway.stop()
})

const filledIn = (code: string) =>
  code.replaceAll('http://127.0.0.1:3333', gateway.url).replaceAll('sk-...', gateway.firstKey ?? '')

const firstLine = (code: string): string => code.split('\n')[0] ?? ''

describe('the first call', () => {
  test('is shown with curl and with the SDK of each protocol', () => {
    expect(curls).toHaveLength(3)
    expect(programs).toHaveLength(3)
    // Not run here: the SDKs for Python do not come with npm.
    expect(blocksOf('python').map((code) => [firstLine(code), code.includes('http://127.0.0.1:3333')])).toEqual([
      ['from openai import OpenAI', true],
      ['from anthropic import Anthropic', true],
      ['from google import genai', true],
    ])
  })

  // Read as a shell would: the machine that runs the tests may have no curl.
  test.each(curls.map((code) => [firstLine(code), code]))('%s', async (_, code) => {
    const command = filledIn(code)
    const headers = [...command.matchAll(/-H '([^:']+): ([^']*)'/g)].map(([, name = '', value = '']) => [name, value])
    const url = /^curl (\S+)/.exec(command)?.[1] ?? ''
    const body = /-d '([^']*)'/.exec(command)?.[1] ?? ''
    const answer = await fetch(url, { method: 'POST', headers: headers as [string, string][], body })
    expect({ status: answer.status, text: await answer.text() }).toEqual({
      status: 200,
      text: expect.stringContaining('Hello') as unknown as string,
    })
  })

  test.each(programs.map((code, index) => [firstLine(code), code, index] as const))('%s', async (_, code, index) => {
    const file = join(folder, `call-${index}.ts`)
    writeFileSync(file, filledIn(code))
    const child = Bun.spawn([process.execPath, file], { stdout: 'pipe', stderr: 'pipe' })
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    expect({ code: await child.exited, errors }).toEqual({ code: 0, errors: '' })
    expect(output).toContain('Hello')
  })
})
