import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import manifest from '../../../../package.json' with { type: 'json' }
import { headOf, VERSION } from './version.ts'

const folder = mkdtempSync(join(tmpdir(), 'trivium-version-'))
afterAll(() => rmSync(folder, { recursive: true }))

const COMMIT = '0123456789abcdef0123456789abcdef01234567'

test('a release is called by its number, anything else by the next one and its commit', () => {
  const { version } = manifest
  expect(VERSION).toMatch(version.endsWith('-dev') ? /^\d+\.\d+\.\d+-dev(\+[0-9a-f]{8})?$/ : /^\d+\.\d+\.\d+$/)
  expect(VERSION.startsWith(version)).toBe(true)
})

test.each<[string, Record<string, string>, string | undefined]>([
  ['a branch', { HEAD: 'ref: refs/heads/main\n', 'refs/heads/main': `${COMMIT}\n` }, COMMIT],
  [
    'a packed branch',
    { HEAD: 'ref: refs/heads/main\n', 'packed-refs': `# pack-refs\n${COMMIT} refs/heads/main\n` },
    COMMIT,
  ],
  ['a commit', { HEAD: `${COMMIT}\n` }, COMMIT],
  ['a branch without commits', { HEAD: 'ref: refs/heads/main\n' }, undefined],
  ['no repository', {}, undefined],
])('the commit of %s', (name, files, expected) => {
  const repository = join(folder, name)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repository, file)), { recursive: true })
    writeFileSync(join(repository, file), text)
  }
  expect(headOf(repository)).toBe(expected)
})
