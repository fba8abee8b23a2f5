// The how-tos of docs/contribute/ as tests: what they add is added to a copy of the sources, in the files that they list and in no
// others.
import { expect } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copySources } from '../../test/support/gateway/copy-sources.ts'

const ROOT = join(import.meta.dir, '../..')
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** What each file becomes; a new one from nothing. */
export type Edits = Readonly<Record<string, (source: string) => string>>

/** Returns the folder of the copy. */
export function copyWith(edits: Edits): string {
  const copy = copySources()
  cpSync(join(ROOT, 'tsconfig.base.json'), join(copy, 'tsconfig.base.json'))
  for (const [file, edit] of Object.entries(edits)) {
    const original = join(existsSync(join(copy, file)) ? copy : ROOT, file)
    const source = existsSync(original) ? readFileSync(original, 'utf8') : ''
    const edited = edit(source)
    expect([file, edited === source]).toEqual([file, false])
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    writeFileSync(join(copy, file), edited)
  }
  return copy
}

/** The section lists the files that were edited, each in a row of its table. */
export function expectListed(section: string, edits: Edits, most: number, file = 'adding.md'): void {
  const page = readFileSync(join(ROOT, 'docs/contribute', file), 'utf8')
  const text = page.split('\n## ').find((each) => each.startsWith(`${section}\n`)) ?? ''
  const listed = [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = '']) => path)
  expect(listed.length).toBeLessThanOrEqual(most)
  const patterns = listed.map((path) => new RegExp(`^${path.replaceAll('.', '\\.').replace(/<\w+>/g, '[\\w-]+')}$`))
  const edited = Object.keys(edits)
  expect(edited.filter((file) => !patterns.some((pattern) => pattern.test(file)))).toEqual([])
  expect(listed.filter((_, index) => !edited.some((file) => patterns[index]?.test(file)))).toEqual([])
}

/** `project`: a folder of the copy with a tsconfig.json. */
export const checkTypes = (copy: string, project: string): Promise<void> => run(copy, TSC, '--noEmit', '-p', project)

/** The console's types of the admin API, which are not kept in the repository. */
export async function makeApiTypes(copy: string): Promise<void> {
  cpSync(join(ROOT, 'tools/api-types.ts'), join(copy, 'tools/api-types.ts'))
  mkdirSync(join(copy, 'tools/api-client'), { recursive: true })
  symlinkSync(join(ROOT, 'tools/api-client/node_modules'), join(copy, 'tools/api-client/node_modules'))
  await run(copy, 'tools/api-types.ts')
}

async function run(copy: string, ...args: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, ...args], { cwd: copy, stdout: 'pipe' })
  expect(await child.stdout.text()).toBe('')
  expect(await child.exited).toBe(0)
}
