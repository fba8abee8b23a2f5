// Vault as a server that speaks its API: logins, renewals, both versions of key-value engines, and everything that it may do wrong.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${vault:...} is the syntax of the file
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SEALED, startVault, type VaultServer } from '../../../test-support/vault-server.ts'
import { type AssembleResult, assemble } from '../assemble.ts'
import { createVault } from './vault.ts'

const KEY = 'sk-planted-0123456789'
const OPENAI = '${vault:kv/data/trivium/openai#key}'
const PEM = (name: string) => readFileSync(join(import.meta.dir, `../../../fixtures/localhost.${name}.pem`), 'utf8')

let server: VaultServer
let folder: string
let now = 0
let vault: ReturnType<typeof createVault>
beforeEach(() => {
  server = startVault()
  server.secrets.set('kv/data/trivium/openai', { key: KEY, other: `${KEY}-other` })
  folder = mkdtempSync(join(tmpdir(), 'trivium-vault-'))
  now = 0
  vault = createVault({ clock: () => now })
})
afterEach(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

type Given = {
  section?: string
  keys?: string[]
  env?: Record<string, string>
  fresh?: boolean
}

const TOKEN = () => `{ vault: { address: "${server.url}", token: hvs.root } }`

function load({ section = TOKEN(), keys = [OPENAI], env = {}, fresh = false }: Given = {}): Promise<AssembleResult> {
  const source = [
    ...(section === '' ? [] : [`secrets: ${section}`]),
    `upstreams: [{ id: main, dialect: chat, base_url: "https://up.example.com/v1", keys: ${JSON.stringify(keys)} }]`,
  ].join('\n')
  const file = join(folder, 'trivium.yaml')
  return vault.assembled((lookUp) => assemble({ source, file, env, lookUp }), fresh)
}

async function keysOf(given: Given = {}): Promise<readonly string[]> {
  const { config, mistakes } = await load(given)
  if (!config) throw new Error(mistakes.map(({ message }) => message).join('\n'))
  return config.upstreams.get('main')?.keys ?? []
}

async function mistakeOf(given: Given = {}): Promise<string> {
  const { mistakes } = await load(given)
  expect(mistakes).toHaveLength(1)
  expect(JSON.stringify(mistakes)).not.toContain(KEY)
  return mistakes[0]?.message ?? ''
}

describe('what is read', () => {
  test('version 2, with one request for all keys of a path', async () => {
    expect(await keysOf({ keys: [OPENAI, '${vault:kv/data/trivium/openai#other}'] })).toEqual([KEY, `${KEY}-other`])
    expect(server.count('GET kv/data/trivium/openai')).toBe(1)
  })

  test('version 1', async () => {
    server.secrets.set('secret/openai', { key: `${KEY}\n` })
    expect(await keysOf({ keys: ['${vault:secret/openai#key}'] })).toEqual([KEY])
  })

  test('what has been read is not read again, unless it is asked to be fresh', async () => {
    await keysOf()
    await keysOf()
    expect(server.count('GET kv')).toBe(1)
    server.secrets.set('kv/data/trivium/openai', { key: 'rotated' })
    expect(await keysOf()).toEqual([KEY])
    expect(await keysOf({ fresh: true })).toEqual(['rotated'])
  })

  test('a value is text: what looks like a reference in it is none, and $${ stays', async () => {
    server.secrets.set('kv/data/trivium/openai', { key: 'a${HOME}b' })
    expect(await keysOf({ keys: [OPENAI, '$${vault:x#y}'] })).toEqual(['a${HOME}b', '${vault:x#y}'])
  })

  test('the standard variables alone, and a namespace', async () => {
    server.namespace = 'team/'
    const env = { VAULT_ADDR: `${server.url}/`, VAULT_TOKEN: 'hvs.root', VAULT_NAMESPACE: 'team/' }
    expect(await keysOf({ section: '', env })).toEqual([KEY])
    expect(server.count(' in team/')).toBe(server.requests.length)
    expect(await mistakeOf({ section: '', env: { ...env, VAULT_NAMESPACE: '' } })).toContain('does not exist in Vault')
  })

  test('its certificate is checked against the given authority', async () => {
    const secured = startVault({ cert: PEM('cert'), key: PEM('key') })
    secured.secrets = server.secrets
    try {
      const url = secured.url.replace('127.0.0.1', 'localhost')
      const section = (more: string) => `{ vault: { address: "${url}", token: hvs.root${more} } }`
      expect(await mistakeOf({ section: section('') })).toContain('cannot be reached')
      writeFileSync(join(folder, 'ca.pem'), PEM('cert'))
      secured.secrets.set('kv/data/trivium/openai', { key: KEY })
      now = 5_000
      expect(await keysOf({ section: section(', ca: ca.pem') })).toEqual([KEY])
      expect(await keysOf({ section: section(''), env: { VAULT_CACERT: join(folder, 'ca.pem') } })).toEqual([KEY])
    } finally {
      await secured.stop()
    }
  })
})

describe('logins', () => {
  const APP_ROLE = (secret = 's-1') =>
    `{ vault: { address: "${server.url}", app_role: { role_id: r-1, secret_id: ${secret} } } }`
  beforeEach(() => {
    server.tokens.clear()
    server.appRoles.set('r-1', 's-1')
  })

  test('by AppRole: one login for many secrets at once, renewed at half its life, and made again when that fails', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `\${vault:kv/data/trivium/${index}#key}`)
    for (const index of keys.keys()) server.secrets.set(`kv/data/trivium/${index}`, { key: `${KEY}-${index}` })
    expect(await keysOf({ section: APP_ROLE(), keys })).toHaveLength(20)
    expect([server.count('login'), server.mostLogins]).toEqual([1, 1])
    const again = () => keysOf({ section: APP_ROLE(), keys, fresh: true })
    now = 1_799_000
    await again()
    expect([server.count('login'), server.count('renew-self')]).toEqual([1, 0])
    now = 1_801_000
    await again()
    expect([server.count('login'), server.count('renew-self')]).toEqual([1, 1])
    now += 1_801_000
    await again()
    expect([server.count('login'), server.count('renew-self'), server.mostLogins]).toEqual([2, 2, 1])
  })

  test('a revoked token is replaced; a path that the policy lacks costs no login each time', async () => {
    await keysOf({ section: APP_ROLE() })
    server.tokens.clear()
    now = 60_000
    server.secrets.set('kv/data/trivium/openai', { key: 'rotated' })
    expect(await keysOf({ section: APP_ROLE(), fresh: true })).toEqual(['rotated'])
    expect(server.count('login')).toBe(2)
    now = 120_000
    for (const name of ['a', 'b', 'c']) server.denied.add(`kv/data/${name}`)
    const keys = ['a', 'b', 'c'].map((name) => `\${vault:kv/data/${name}#key}`)
    const { mistakes } = await load({ section: APP_ROLE(), keys })
    expect(mistakes.map(({ message }) => message)).toEqual(
      ['a', 'b', 'c'].map((name, index) =>
        expect.stringContaining(`keys[${index}]: cannot use vault:kv/data/${name}#key: Vault denied`),
      ),
    )
    expect(server.count('login')).toBe(3)
    await load({ section: APP_ROLE(), keys })
    expect(server.count('login')).toBe(3)
  })

  test('a rejected login says which, and not with what', async () => {
    const message = await mistakeOf({ section: APP_ROLE('not-the-secret') })
    expect(message).toContain('rejected the login (status 400); check secrets.vault.app_role')
    expect(message).not.toContain('not-the-secret')
  })

  test('by Kubernetes, with the token that its file has now', async () => {
    const file = join(folder, 'token')
    const section = `{ vault: { address: "${server.url}", kubernetes: { role: trivium, token_file: token } } }`
    expect(await mistakeOf({ section })).toContain(`the service account token ${file} cannot be read: no such file`)
    now = 5_000
    writeFileSync(file, 'jwt-1\n')
    server.serviceAccounts.add('jwt-1')
    expect(await keysOf({ section })).toEqual([KEY])
    server.serviceAccounts = new Set(['jwt-2'])
    writeFileSync(file, 'jwt-2')
    server.tokens.clear()
    now = 65_000
    server.secrets.set('kv/data/trivium/openai', { key: 'rotated' })
    expect(await keysOf({ section, fresh: true })).toEqual(['rotated'])
  })

  test('a token is renewed as long as that works, and used until it ends', async () => {
    server.tokens.set('hvs.root', { renewals: 2 })
    await keysOf()
    now = 1_801_000
    await keysOf({ fresh: true })
    expect(server.count('renew-self')).toBe(2)
    now += 1_801_000
    await keysOf({ fresh: true })
    server.tokens.clear()
    expect((await load({ fresh: true })).config && (await load({ fresh: true }))).toMatchObject({
      references: [
        { name: 'vault:kv/data/trivium/openai#key', problem: expect.stringContaining('the token must be valid') },
      ],
    })
    expect(await keysOf()).toEqual([KEY])
  })
})

describe('what goes wrong', () => {
  const body =
    (text: string, status = 200) =>
    () =>
      new Response(text, { status })
  let pieces = 0
  const endless = () => {
    const pull = (controller: ReadableStreamDefaultController) => {
      pieces += 1
      controller.enqueue(new Uint8Array(64 * 1024))
    }
    return new Response(new ReadableStream({ pull }))
  }
  test.each<[string, () => Response, string]>([
    ['sealed', SEALED, 'is sealed; unseal it'],
    ['not initialized', body('{"errors":[]}', 501), 'answered with status 501'],
    ['busy', body('{"errors":["request path quota exceeded"]}', 429), 'answered with status 429'],
    ['failing', body('no', 500), 'answered with status 500'],
    ['a redirect', () => Response.redirect('http://169.254.169.254/', 307), 'redirects (status 307)'],
    ['huge', endless, 'sent more than 1024 KiB'],
    ['another server', body('<html>'), 'did not answer with JSON: it is not Vault'],
    ['nested', body('['.repeat(1_000)), 'did not answer with JSON'],
  ])('%s', async (_, fault, expected) => {
    server.fault = fault
    const message = await mistakeOf()
    expect(message).toContain('upstreams[main].keys[0]: cannot use vault:kv/data/trivium/openai#key: ')
    expect(message).toContain(expected)
    expect(message).toContain(server.url)
    // What is on its way is bounded by the buffers of the connection.
    expect(pieces).toBeLessThan(1_000)
  })

  test('it is not there: every secret says so, after one attempt each at most', async () => {
    const { url } = server
    await server.stop()
    const section = `{ vault: { address: "${url}", token: hvs.root } }`
    expect(await mistakeOf({ section })).toMatch(
      /Vault at \S+ cannot be reached: .+; start it, or correct secrets\.vault\.address$/,
    )
    server = startVault()
  })

  test('it hangs, before the headers and in the body', async () => {
    vault = createVault({ withinMs: 50 })
    const hangs = Promise.withResolvers<Response>()
    server.fault = () => hangs.promise
    expect(await mistakeOf()).toContain('it did not answer in time')
    server.fault = () =>
      new Response(new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{')) }))
    expect(await mistakeOf()).toContain('it did not answer in time')
    hangs.resolve(SEALED())
  })

  test.each<[string, string, string]>([
    ['kv/data/trivium/openai#none', "it has no key 'none'", ''],
    ['kv/data/trivium/openai#toString', "it has no key 'toString'", ''],
    ['kv/data/missing#key', 'it does not exist in Vault', ''],
    ['kv/trivium/openai#key', 'version 2; write kv/data/trivium/openai', ''],
    ['kv/data/deleted#key', 'its newest version is deleted', ''],
    ['kv/data/wrong#number', "its key 'number' is empty, or not a text", ''],
    ['kv/data/wrong#empty', "its key 'empty' is empty, or not a text", ''],
    ['kv/data/wrong#long', "its key 'long' is longer than 64 KiB", ''],
    ['database/creds/app#password', 'it is a dynamic secret', ''],
    ['kv/data/../../sys/seal#key', 'write a path and a key, as in ${vault:', ''],
    ['kv/data/trivium/openai', 'write a path and a key, as in ${vault:', ''],
    ['kv/data/a%2f..#key', 'write a path and a key', ''],
  ])('%s: %s', async (reference, expected) => {
    server.secrets.set('kv/data/deleted', null)
    server.secrets.set('kv/data/wrong', { number: 7, empty: ' ', long: 'x'.repeat(65_537) })
    server.bodies.set('database/creds/app', { lease_id: 'database/creds/app/1', data: { password: KEY } })
    expect(await mistakeOf({ keys: [`\${vault:${reference}}`] })).toContain(expected)
  })

  test('after a good reading, an outage or a missing key changes nothing but what is said of it', async () => {
    await keysOf()
    for (const fault of [SEALED, () => Response.json({ data: {} })]) {
      server.fault = fault
      const result = await load({ fresh: true })
      expect(result.config?.upstreams.get('main')?.keys).toEqual([KEY])
      expect(result).toMatchObject({ references: [{ problem: expect.any(String) }] })
    }
    server.fault = undefined
    expect(await load({ fresh: true })).toMatchObject({ references: [{ problem: undefined }] })
  })

  test('what has just failed is not asked for again for 5 s, unless it must be fresh', async () => {
    server.fault = SEALED
    await mistakeOf()
    server.fault = undefined
    const { length } = server.requests
    now = 4_999
    expect(await mistakeOf()).toContain('is sealed')
    expect(server.requests).toHaveLength(length)
    expect(await keysOf({ fresh: true })).toEqual([KEY])
    server.fault = SEALED
    await mistakeOf({ keys: ['${vault:kv/data/trivium/openai#other}'] })
    server.fault = undefined
    now = 9_999
    expect(await keysOf({ keys: ['${vault:kv/data/trivium/openai#other}'] })).toEqual([`${KEY}-other`])
  })

  test('drafts do not displace what is in force', async () => {
    await keysOf()
    const data = Object.fromEntries(Array.from({ length: 450 }, (_, index) => [`k${index}`, `v${index}`]))
    server.secrets.set('kv/data/drafts', data)
    for (const name of Object.keys(data)) await keysOf({ keys: [OPENAI, `\${vault:kv/data/drafts#${name}}`] })
    server.fault = SEALED
    expect(await keysOf()).toEqual([KEY])
  })

  test('the value of one Vault is not that of another', async () => {
    await keysOf()
    const other = startVault()
    try {
      const section = `{ vault: { address: "${other.url}", token: hvs.root } }`
      expect(await mistakeOf({ section })).toContain('does not exist')
    } finally {
      await other.stop()
    }
  })

  test('more than 200 secrets are a mistake', async () => {
    const keys = Array.from({ length: 201 }, (_, index) => `\${vault:kv/data/trivium/openai#k${index}}`)
    const data = Object.fromEntries(keys.map((_, index) => [`k${index}`, `v${index}`]))
    server.secrets.set('kv/data/trivium/openai', data)
    expect(await keysOf({ keys: keys.slice(1) })).toHaveLength(200)
    vault = createVault()
    expect(await mistakeOf({ keys })).toContain('more than 200 secrets')
  })

  test.each<[string, Record<string, string>, string]>([
    ['', {}, 'no Vault is configured; write secrets.vault.address, or set VAULT_ADDR'],
    ['', { VAULT_ADDR: 'vault:8200', VAULT_TOKEN: 't' }, 'VAULT_ADDR must be a URL without a path'],
    ['', { VAULT_ADDR: 'http://127.0.0.1:1' }, 'Vault needs a login; write token, app_role or kubernetes'],
    [
      '',
      { VAULT_ADDR: 'http://127.0.0.1:1', VAULT_TOKEN: 't', VAULT_CACERT: '/nowhere' },
      'in /nowhere cannot be read: no such file',
    ],
    ['{ vault: { address: "http://127.0.0.1:1/v1" } }', {}, 'secrets.vault.address: must be a URL without a path'],
    [
      '{ vault: { address: "http://127.0.0.1:1", token: "${vault:a#b}" } }',
      {},
      'the section secrets itself cannot refer',
    ],
    ['{ vault: { token: a, app_role: { role_id: a, secret_id: b } } }', {}, 'has several logins; write one of'],
    ['{ vault: { app_role: { role_id: a } } }', {}, 'secret_id is missing'],
    ['{ allow: ["vault:*"] }', {}, 'does not name secrets; write vault:PATH, env:NAME or file:PATH'],
    ['{ allow: ["kv/data/x"] }', {}, 'does not name secrets'],
    ['{ allow: ["vault:kv/*/x"] }', {}, 'does not name secrets'],
  ])('settings %s %o', async (section, env, expected) => {
    const { mistakes } = await load({ section, env })
    expect(mistakes.map(({ message }) => message).join('\n')).toContain(expected)
    expect(server.requests).toEqual([])
  })
})
