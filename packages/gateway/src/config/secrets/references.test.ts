// What stored entries may refer to: nothing, unless the file says so; and nothing but secrets.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${vault:...} is the syntax of the file
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SEALED, startVault, type VaultServer } from '../../../test-support/vault-server.ts'
import { assemble } from '../assemble.ts'
import type { StoredEntry } from '../stored.ts'
import { createVault } from './vault.ts'

const KEY = 'sk-planted-0123456789'
const OPENAI = '${vault:kv/data/trivium/openai#key}'

let server: VaultServer
let folder: string
beforeEach(() => {
  server = startVault()
  server.secrets.set('kv/data/trivium/openai', { key: KEY })
  folder = mkdtempSync(join(tmpdir(), 'trivium-references-'))
})
afterEach(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

async function load({
  allow = [],
  entry,
  env = {},
}: {
  allow?: string[]
  entry: StoredEntry
  env?: Record<string, string>
}) {
  const source = `secrets: { vault: { address: "${server.url}", token: hvs.root }, allow: ${JSON.stringify(allow)} }`
  const file = join(folder, 'trivium.yaml')
  const result = await createVault().assembled((lookUp) => assemble({ source, file, env, stored: [entry], lookUp }))
  if (!result.config) throw new Error(JSON.stringify(result.mistakes))
  return result
}

const stored = (key: string): StoredEntry => ({
  kind: 'upstream',
  id: 'kept',
  value: { dialect: 'chat', base_url: 'https://kept.example.com/v1', keys: [key] },
  revision: 1,
})
async function kept(key: string, allow: string[], env = {}) {
  const result = await load({ allow, entry: stored(key), env })
  return { ...result, keys: result.config.upstreams.get('kept')?.keys, warnings: result.config.warnings.join('\n') }
}

test('expand nothing by default, and say so of what looks like a reference', async () => {
  for (const allow of [[], ['vault:kv/data/other/*', 'env:OTHER', 'file:/other/*']]) {
    for (const key of [OPENAI, '${file:/etc/hostname}']) {
      const found = await kept(key, allow, { HOME: 'x' })
      expect(found.keys).toEqual([key])
      expect(found.warnings).toContain(`stored upstreams[kept].keys.0: ${key} is not expanded: secrets.allow`)
    }
    expect((await kept('${HOME}', allow, { HOME: 'x' })).keys).toEqual(['${HOME}'])
  }
  expect(server.count('GET')).toBe(0)
})

test('expand what secrets.allow names, in secrets alone', async () => {
  writeFileSync(join(folder, 'openai'), `${KEY}-file\n`)
  const allow = [
    'vault:kv/data/trivium/*',
    'env:OPENAI_*',
    `file:${folder}/*`,
    'vault:kv/data/one',
    'vault:kv/data/two#key',
  ]
  expect((await kept(OPENAI, allow)).keys).toEqual([KEY])
  expect((await kept('${OPENAI_KEY}', allow, { OPENAI_KEY: KEY })).keys).toEqual([KEY])
  expect((await kept('${file:openai}', allow)).keys).toEqual([`${KEY}-file`])
  for (const name of ['one', 'two']) server.secrets.set(`kv/data/${name}`, { key: name, other: 'other' })
  expect((await kept('${vault:kv/data/one#other}', allow)).keys).toEqual(['other'])
  expect((await kept('${vault:kv/data/two#key}', allow)).keys).toEqual(['two'])
  expect((await kept('${vault:kv/data/two#other}', allow)).keys).toEqual(['${vault:kv/data/two#other}'])
  expect((await kept('$${vault:kv/data/one#key}', allow)).keys).toEqual(['$${vault:kv/data/one#key}'])
  const entry: StoredEntry = { kind: 'setting', id: 'console.name', value: '${OPENAI_KEY}', revision: 1 }
  const { config } = await load({ allow, entry, env: { OPENAI_KEY: KEY } })
  expect(config?.console.name).toBe('${OPENAI_KEY}')
})

test('never lead out of what is allowed', async () => {
  const allow = [
    'vault:kv/data/trivium/*',
    'file:/mnt/secrets/*',
    'env:TRIVIUM_*',
    'env:DATABASE_*',
    'env:VAULT_*',
    'vault:kv/data/one',
  ]
  const env = { TRIVIUM_SECRET: KEY, DATABASE_URL: KEY, VAULT_TOKEN: KEY }
  for (const key of [
    '${vault:kv/data/trivium/../other#key}',
    '${vault:kv/data/onemore#key}',
    '${vault:kv/data/trivium#key}',
    '${file:/mnt/secrets/../../etc/passwd}',
    '${file:/mnt/secrets}',
    '${TRIVIUM_SECRET}',
    '${DATABASE_URL}',
    '${VAULT_TOKEN}',
  ])
    expect((await kept(key, allow, env)).keys).toEqual([key])
  expect(server.count('GET')).toBe(0)
})

test('one whose secret cannot be read is left out by name, and what it refers to is known', async () => {
  server.fault = SEALED
  const { invalid, references, keys } = await kept(OPENAI, ['vault:kv/data/trivium/*'])
  expect(keys).toBeUndefined()
  expect(invalid).toMatchObject([
    {
      mistakes: [
        {
          message: expect.stringMatching(
            /^stored upstreams\[kept\]\.keys\.0: cannot use \$\{vault:kv\/data\/trivium\/openai#key\}: Vault at .* is sealed/,
          ),
        },
      ],
    },
  ])
  expect(references).toMatchObject([
    { name: 'vault:kv/data/trivium/openai#key', problem: expect.stringContaining('sealed') },
  ])
})

test('cannot set the section', async () => {
  const entry: StoredEntry = { kind: 'setting', id: 'secrets.allow', value: ['env:HOME'], revision: 1 }
  const { invalid } = await load({ entry })
  expect(invalid).toMatchObject([{ mistakes: [{ message: expect.stringContaining('is not a setting') }] }])
})
