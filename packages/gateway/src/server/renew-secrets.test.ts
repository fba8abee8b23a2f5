// Secrets that are kept elsewhere change while the server runs, or cannot be read for a while.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${vault:...} is the syntax of the file
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SEALED, startVault, type VaultServer } from '../../test-support/vault-server.ts'
import { createAccountCipher } from '../access/secrets/account-cipher.ts'
import { createVault } from '../config/secrets/vault.ts'
import type { StoredEntry } from '../config/stored.ts'
import type { Assemble } from '../operate/configuration/parts.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import type { Storage } from '../storage/storage.ts'
import { assembleFile } from './config.ts'
import { createLiveConfig, type LiveConfig } from './live-config.ts'

const OPENAI = '${vault:kv/data/openai#key}'
const STORED: StoredEntry = {
  kind: 'upstream',
  id: 'stored',
  value: { kind: 'openai', keys: [OPENAI, '${file:mounted}'] },
  revision: 1,
}

let server: VaultServer
let folder: string
let storage: Storage
let lines: string[]
const log = Object.fromEntries(
  ['info', 'warn', 'error'].map((level) => [
    level,
    (text: string, more = {}) => lines.push(`${text} ${JSON.stringify(more)}`),
  ]),
) as never

beforeEach(async () => {
  server = startVault()
  server.secrets.set('kv/data/openai', { key: 'first' })
  folder = mkdtempSync(join(tmpdir(), 'trivium-renew-'))
  storage = await openSqlite(join(folder, 'data'))
  lines = []
})
afterEach(async () => {
  await storage.close()
  await server.stop()
  rmSync(folder, { recursive: true })
})

const fileOf = (more = '') => ({
  path: join(folder, 'trivium.yaml'),
  bytes: Buffer.from(`
secrets: { vault: { address: "${server.url}", token: hvs.root }, allow: ["vault:kv/data/*", "file:mounted"] }
upstreams: [{ id: main, kind: openai, keys: ["${OPENAI}", "\${file:mounted}"] }]
${more}`),
})

async function start(entries: StoredEntry[] = [], file = fileOf()): Promise<LiveConfig> {
  const vault = createVault()
  const assemble: Assemble = (given, stored, { strictly, fresh } = {}) =>
    vault.assembled((lookUp) => assembleFile(given, stored, {}, { strictly, lookUp }), fresh)
  const stored = { revision: 0, entries }
  const assembled = await assemble(file, stored)
  if (!assembled.config) throw new Error(JSON.stringify(assembled.mistakes))
  return createLiveConfig({ file, stored, assembled }, assemble, storage, createAccountCipher('a master secret'), log)
}
const mount = (text: string) => writeFileSync(join(folder, 'mounted'), text)
const keysOf = (live: LiveConfig, id = 'main') => live.config().upstreams.get(id)?.keys

test('what was rotated is in force without a restart, in the file and in stored entries; otherwise nothing happens', async () => {
  mount('one')
  const live = await start([STORED])
  const followed: unknown[] = []
  live.onChange((config) => followed.push(config))
  expect(await live.renewSecrets()).toBeUndefined()
  expect([followed.length, lines]).toEqual([0, []])
  server.secrets.set('kv/data/openai', { key: 'second' })
  mount('two')
  expect(await live.renewSecrets()).toBeUndefined()
  expect([keysOf(live), keysOf(live, 'stored')]).toEqual([
    ['second', 'two'],
    ['second', 'two'],
  ])
  expect(live.catalogue().config).toBe(live.config())
  expect(lines).toEqual(['secrets changed {"changes":"upstreams[main].keys changed; upstreams[stored].keys changed"}'])
  expect(followed).toHaveLength(1)
})

test('an outage keeps the last values, also over a reload, and is told once', async () => {
  mount('one')
  const live = await start([STORED])
  server.fault = SEALED
  expect(await live.renewSecrets()).toBe(15_000)
  expect(await live.renewSecrets()).toBe(15_000)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('secrets could not be read; their last values stay')
  expect(lines[0]).toContain('vault:kv/data/openai#key: Vault at')
  expect(live.assembled().references).toContainEqual({
    name: 'vault:kv/data/openai#key',
    problem: expect.stringContaining('is sealed'),
  })
  const edited = fileOf('server: { drain: 7s }')
  expect((await live.withFile(edited)).mistakes).toEqual([])
  await live.useFile(edited)
  expect([live.config().server.drainMs, keysOf(live), keysOf(live, 'stored')]).toEqual([
    7_000,
    ['first', 'one'],
    ['first', 'one'],
  ])
  server.fault = undefined
  server.secrets.set('kv/data/openai', { key: 'second' })
  expect(await live.renewSecrets()).toBeUndefined()
  expect(keysOf(live)).toEqual(['second', 'one'])
  expect(lines.slice(1)).toEqual([
    'all secrets can be read again {}',
    'secrets changed {"changes":"upstreams[main].keys changed; upstreams[stored].keys changed"}',
  ])
})

test('a mounted file that is missing removes no upstream, neither of the file nor a stored one', async () => {
  mount('one')
  const only = { ...fileOf(), bytes: Buffer.from('secrets: { allow: ["file:mounted"] }') }
  for (const [live, id] of [
    [await start(), 'main'],
    [await start([{ ...STORED, value: { kind: 'openai', keys: ['${file:mounted}'] } }], only), 'stored'],
  ] as const) {
    lines = []
    const before = live.config()
    rmSync(join(folder, 'mounted'))
    expect(await live.renewSecrets()).toBe(15_000)
    expect(lines).toEqual([expect.stringMatching(/^secrets could not be read; .*mounted.*does not exist/)])
    expect(live.config()).toBe(before)
    mount('two')
    expect(await live.renewSecrets()).toBeUndefined()
    expect(keysOf(live, id)?.at(-1)).toBe('two')
    mount('one')
  }
})

test('an entry that was left out at the start is in force once its secret can be read', async () => {
  const only = {
    ...fileOf(),
    bytes: Buffer.from(
      fileOf()
        .bytes.toString()
        .replace(/upstreams:.*/, ''),
    ),
  }
  mount('one')
  server.fault = SEALED
  const live = await start([STORED], only)
  expect(keysOf(live, 'stored')).toBeUndefined()
  expect(lines).toEqual([expect.stringMatching(/^a stored entry is not in force .*is sealed/)])
  expect(await live.renewSecrets()).toBe(15_000)
  server.fault = undefined
  expect(await live.renewSecrets()).toBeUndefined()
  expect(keysOf(live, 'stored')).toEqual(['first', 'one'])
})

test('while Vault hangs, other changes do not wait for it', async () => {
  mount('one')
  const live = await start()
  const hangs = Promise.withResolvers<Response>()
  const asked = Promise.withResolvers<void>()
  server.fault = () => {
    asked.resolve()
    return hangs.promise
  }
  const renewal = live.renewSecrets()
  await asked.promise
  await live.refresh()
  hangs.resolve(SEALED())
  expect(await renewal).toBe(15_000)
})

test('a configuration without references reads nothing', async () => {
  const live = await start([], { ...fileOf(), bytes: Buffer.from('server: { drain: 7s }') })
  expect(await live.renewSecrets()).toBeUndefined()
  expect([server.requests, lines]).toEqual([[], []])
})
