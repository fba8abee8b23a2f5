// `config export` and `config import` without a running server.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDatabase, runHere } from '../../../../test-support/run-command.ts'

const SECRET = 'sk-real-secret-of-the-upstream'
const SOURCE = `server: { drain: 5s, trusted_proxies: [10.0.0.0/8] }
upstreams:
  - { id: main, dialect: chat, base_url: "https://main.example.com/v1", keys: ["${SECRET}"], allow_private: true }
models:
  - { id: gpt-x, routes: [{ upstream: main }], price: { input: 2.50, output: 8 } }
groups: [{ id: default, models: [gpt-x], multiplier: 1.5 }]
`

let folder = ''
let data = ''
const written = (name: string, text: string): string => {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-exchange-'))
  data = join(folder, 'data')
  mkdirSync(data)
  await createDatabase(data)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const json = async (args: string[]) => {
  const { stdout, stderr, code } = await runHere([...args, '--json'], data)
  if (code !== 0) throw new Error(stderr)
  return { result: JSON.parse(stdout), stderr }
}

test('a file is stored as one revision, and what is in force is printed as a file', async () => {
  const file = written('trivium.yaml', SOURCE)
  const dry = await json(['config', 'import', file, '--dry-run'])
  expect(dry.result).toMatchObject({
    object: 'dry_run',
    action: 'config import',
    after: { effects: expect.arrayContaining([expect.any(String)]) },
  })
  expect((await runHere(['config', 'import', file, '--dry-run'], data)).stdout).toMatch(
    /^the entries can be stored; nothing is written\n(.+\n)*group\/default: new, \{"models"/,
  )
  expect((await json(['config', 'export'])).result).toMatchObject({ variables: [], left_out: [] })

  const { result, stderr } = await json(['config', 'import', file, '--reason', 'the first one'])
  expect(result).toEqual({
    id: 'configuration',
    entries: ['settings/server.drain', 'upstreams/main', 'models/gpt-x', 'groups/default'],
    revision: 1,
    shadowed: [],
    left_out: [],
  })
  expect(stderr).toBe(
    'not stored, because only a configuration file can have it: server.trusted_proxies, upstreams[main].allow_private\n',
  )

  const exported = await runHere(['config', 'export'], data)
  expect(exported).toMatchObject({ code: 0, stderr: '' })
  expect(exported.stdout).toBe(`# Exported by \`trivium config export\`.
# Secrets are read from the environment:
#   MAIN_KEY: upstreams[main].keys.0

server:
  drain: 5s
upstreams:
  - id: main
    dialect: chat
    base_url: https://main.example.com/v1
    keys: [ "\${MAIN_KEY}" ]
models:
  - id: gpt-x
    routes:
      - { upstream: main }
    price: { input: 2.50, output: 8 }
groups:
  - id: default
    models: [ gpt-x ]
    multiplier: 1.5
`)
  const { code, stderr: unset } = await runHere(['config', 'import', written('exported.yaml', exported.stdout)], data)
  expect([code, unset]).toEqual([1, expect.stringContaining('the environment variable MAIN_KEY is not set')])
})

test.each([
  ['a file that does not exist', () => join(folder, 'gone.yaml'), 2, /^cannot read \S+gone\.yaml: no such file/],
  ['a file without entries', () => written('empty.yaml', '{}'), 2, /has no entries that can be stored/],
  [
    'a file with mistakes',
    () => written('wrong.yaml', 'server:\n  drian: 5s'),
    1,
    /wrong\.yaml:2: server: unknown field "drian"/,
  ],
  ['a file in other words', () => written('two.yaml', 'model_list: []'), 1, /this is a LiteLLM configuration/],
])('%s is rejected, and nothing is stored', async (_, file, expected, message) => {
  const before = (await json(['config', 'export'])).result
  const { code, stdout, stderr } = await runHere(['config', 'import', file()], data)
  expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(message)])
  expect((await json(['config', 'export'])).result).toEqual(before)
})
