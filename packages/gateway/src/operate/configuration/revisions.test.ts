// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax of the file
// Revisions, what the text of a file brings, and settings with their defaults.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  live,
  openStore,
  rejection,
  run,
  storage,
  useFolder,
  withEntries,
} from '../../../test-support/configuration-operations.ts'
import type { EntryChange, GatewayRole } from '../../storage/storage.ts'
import { COMMAND_LINE, type Preview } from '../operation.ts'

useFolder()
beforeEach(openStore)
afterEach(() => storage.close())

test('revisions say what they changed; any two are compared; 0 is the beginning, and can be restored', async () => {
  await withEntries()
  await run('settings change', { console: { name: 'Mine' } })
  await run('settings change', { console: { name: 'Yours' }, registration: { open: true } })
  const { items } = await run('revision list', { limit: 3 })
  expect(items[0]).toMatchObject({
    changed: 2,
    changes: [
      { kind: 'setting', id: 'console.name', change: 'changed' },
      { kind: 'setting', id: 'registration.open', change: 'created' },
    ],
  })
  const differ = async (revision: string, compare: string) =>
    (await run('revision show', { revision, compare })).changes.map(({ id, before, after }: never) => [
      id,
      before === null ? 'none' : before,
      after === null ? 'none' : after,
    ])
  expect(await differ('4', '2')).toEqual([
    ['console.name', 'none', 'Yours'],
    ['registration.open', 'none', true],
  ])
  expect(await differ('2', '3')).toEqual([['console.name', 'Mine', 'none']])
  expect(await differ('3', '3')).toEqual([])
  expect((await differ('4', '0')).map(([id]: string[]) => id)).toContain('main')
  expect(await rejection('revision show', { revision: '1', compare: '9' })).toStartWith('unknown_revision')
  expect(await run('revision show', { revision: '0' })).toMatchObject({ id: '0', at: null, changes: [] })
  await run('revision restore', { revision: '0' })
  expect((await storage.configuration.read()).entries).toEqual([])
  expect(await differ('5', '0')).toEqual([])
})

test('a damaged entry that was deleted does not keep earlier revisions from being restored', async () => {
  await withEntries()
  const { revision, entries } = await storage.configuration.read()
  const main = entries.find(({ id }) => id === 'main')
  const damaged = { $unreadable: 'oops{' }
  const actor = { type: 'admin-key', id: '4' } as const
  const entry = { actor, address: '', requestId: undefined, action: 'repair', object: '', reason: '' }
  const write = (expected: number, changes: Pick<EntryChange, 'id' | 'before' | 'after'>[]) =>
    storage.audited({ ...entry, before: undefined, after: undefined }).configuration.write(
      expected,
      changes.map((change) => ({ kind: 'model', ...change })),
    )
  await run('settings change', { console: { name: 'Mine' } })
  const model = entries.find(({ kind }) => kind === 'model')
  if (!main || !model) throw new Error('nothing is stored')
  // As `delete` leaves them: one that was stored here, and one that was inserted with SQL.
  await write(
    revision + 1,
    [model.id, 'foreign'].map((id) => ({ id, before: damaged, after: undefined })),
  )
  await run('revision restore', { revision: String(revision) })
  expect((await storage.configuration.read()).entries.map(({ id, value }) => [id, value])).toEqual(
    entries.map(({ id, value }) => [id, value]),
  )
  await write(revision + 3, [{ id: 'lost', before: undefined, after: damaged }])
  await write(revision + 4, [{ id: 'lost', before: damaged, after: undefined }])
  expect(await rejection('revision restore', { revision: String(revision + 4) })).toContain('models[lost]: is not JSON')
})

test('the text of a file is imported with values for its placeholders; nothing of this machine is read', async () => {
  const file = `
console: { name: Imported }
server: { drain: 5s, trusted_proxies: [10.0.0.0/8] }
upstreams: [{ id: far, dialect: chat, base_url: "https://far.example.com/v1", keys: ["\${FAR_KEY}"], allow_private: true }]
models: [{ id: far-1, routes: [{ upstream: far }], price: { input: 0.10, output: 2 } }]
`
  const given = { file, variables: { FAR_KEY: 'far-secret-0123456789' } }
  expect(await run('config import', given)).toMatchObject({
    entries: ['settings/console.name', 'settings/server.drain', 'upstreams/far', 'models/far-1'],
    left_out: ['server.trusted_proxies', 'upstreams[far].allow_private'],
  })
  expect(live.config().upstreams.get('far')?.keys).toEqual(['far-secret-0123456789'])
  expect((await storage.configuration.read()).entries.find(({ id }) => id === 'far-1')?.value).toMatchObject({
    price: { input: '0.10', output: 2 },
  })
  const bomb = `a: &a [x, x]\nb: &b [*a, *a]\nconsole: { name: *b }`
  for (const [text, says] of [
    [file, '${FAR_KEY} has no value'],
    ['console: { name: "${file:/etc/passwd}" }', 'files are not read here'],
    ['console: { name: "${PATH}" }', '${PATH} has no value'],
    [bomb, 'aliases'],
    [`console: ${'['.repeat(50_000)}`, ''],
    ['colour: red', 'unknown field'],
    ['models: [{ price: 1 }]', 'id is missing'],
    ['mail: { url: "${vault:kv/data/mail#url}" }', 'secrets of Vault are not read here'],
    ['secrets: { allow: ["env:HOME"] }', 'can only be in the configuration file of the gateway'],
    ['# nothing', 'it is empty'],
    ['server: { trusted_proxies: [10.0.0.0/8] }', 'no entries that can be stored'],
    ['mail: { url: "imap://x", from: a@example.com }', 'smtp'],
  ] as const)
    expect(await rejection('config import', { file: text }, 'owner')).toContain(says)
  expect(await rejection('config import', {})).toContain('entries must be given')
  expect(await rejection('config import', { file, entries: [] })).toContain('exclude each other')
})

test.each<[string, object, string]>([
  ['the admin API is switched off', { server: { admin: 'off' } }, 'configuration_mistake'],
  ['networks leave the caller out', { server: { admin_networks: ['198.51.100.0/24'] } }, 'locks_out'],
  ['no body fits', { server: { limits: { body: '1B' } } }, 'configuration_mistake'],
  ['another certificate', { server: { tls: { cert: '/none', key: '/none' } } }, 'configuration_mistake'],
  ['addresses are read from a header', { server: { trusted_proxies: ['0.0.0.0/0'] } }, 'configuration_mistake'],
  ['passwords are off, and there is no provider', { sign_in: { password: false } }, 'configuration_mistake'],
])('nobody locks all operators out by one change: %s', async (_what, patch, reason) => {
  expect(await rejection('settings change', patch, 'owner')).toStartWith(`${reason}: `)
  expect(await storage.configuration.revision()).toBe(0)
})

test('passwords are off only where an owner has signed in at a provider that stays', async () => {
  const provider = (id: string) => ({ id, issuer: `https://${id}.example.com`, client_id: 'x', client_secret: 'x' })
  const off = (...ids: string[]) => ({ sign_in: { password: false, providers: ids.map(provider) } })
  for (const more of [{}, { actor: COMMAND_LINE }, { dryRun: true }])
    await expect(run('settings change', off('x'), 'owner', more)).rejects.toThrow(
      'no owner of this gateway has signed in',
    )
  expect(await rejection('settings change', off('x'), 'owner')).toStartWith('no_owner_at_provider: ')
  const owner = await storage.accounts.signUp({
    email: 'owner@example.com',
    password: undefined,
    network: '192.0.2.1',
    mostPerNetwork: 10,
    wideNetwork: '192.0.2.0/24',
    wideTrials: 10,
    trialCredit: 0n,
    budget: undefined,
    source: -1n,
    onProof: false,
    identity: { issuer: 'https://x.example.com', subject: 'owner' },
  })
  if (typeof owner === 'string') throw new Error(owner)
  expect(await rejection('settings change', off('x'), 'owner')).toStartWith('no_owner_at_provider: ')
  await storage.people.setRole(owner.person.id, 'owner')
  expect(await rejection('settings change', off('y'), 'owner')).toStartWith('no_owner_at_provider: ')
  await run('settings change', off('x'), 'owner')
  expect(live.config().signIn.password).toBe(false)
  // The provider of the only owner cannot be replaced; others can be added, and passwords come back at any time.
  expect(await rejection('settings change', off('y'), 'owner')).toStartWith('no_owner_at_provider: ')
  await run('settings change', off('x', 'y'), 'owner')
  await run('settings change', { console: { name: 'Mine' } })
  await run('settings change', { sign_in: null }, 'owner')
  expect(live.config().signIn.password).toBe(true)
})

test('networks with the address of the caller can be stored, others only without one; a preview names them', async () => {
  const change = (networks: string[], more: object = {}) =>
    run('settings change', { server: { admin_networks: networks } }, 'admin', more)
  const dry = change(['203.0.113.0/24'], { dryRun: true }).catch((error: Preview) => error.effects)
  expect(await dry).toEqual({ admin_networks: 'The admin API can only be used from 203.0.113.0/24.' })
  await change(['203.0.113.0/24'])
  expect(live.config().server.adminNetworks).toEqual(['203.0.113.0/24'])
  // From the machine itself, whoever can run commands there can take it back.
  await change(['198.51.100.0/24'], { actor: COMMAND_LINE })
  // A change of something else is no reason to reject what is in force already.
  await run('settings change', { console: { name: 'Mine' } })
  expect(await rejection('revision restore', { revision: '2' })).not.toStartWith('locks_out')
})

test('settings show what is written, and where; a null removes', async () => {
  const mail = { url: 'smtps://me:hunter22222@mx.example.com', from: 'a@example.com' }
  // An admin could have the sign-in links of owners sent elsewhere, and hide the trace.
  const sign_in = { providers: [{ id: 'x', issuer: 'https://x.example.com', client_id: 'x', client_secret: 'x' }] }
  const server = { public_url: 'https://x.example.com' }
  for (const patch of [{ mail }, { sign_in }, { server }, { retention: { audit: '1h' } }])
    expect(await rejection('settings change', patch)).toStartWith('owner_needed')
  await run('settings change', { mail }, 'owner')
  const show = async () => {
    const { settings: items } = await run('settings show')
    return items
      .map(({ id, value, source }: never) => [id, value, (source as { from: string }).from])
      .filter(([, , from]: string[]) => from !== 'default')
  }
  const secret = { id: expect.any(String), last_four: '.com', added_at: expect.any(String) }
  expect(await show()).toEqual([
    ['registration.trial_credit', 3, 'file'],
    ['mail.url', secret, 'stored'],
    ['mail.from', 'a@example.com', 'stored'],
  ])
  expect(live.config().mail?.url).toContain('hunter22222')
  const all = async (role: GatewayRole) => {
    const { settings } = await run('settings show', {}, role)
    return Object.fromEntries(settings.map((each: { id: string }) => [each.id, each]))
  }
  const own = await all('owner')
  expect(own['registration.trial_credit']).toMatchObject({ default: '10.00', needs: 'admin', may_change: false })
  expect(own['registration.open']).toMatchObject({
    default: false,
    value: null,
    source: { from: 'default' },
    type: 'boolean',
  })
  expect(own['server.tls.cert']).toMatchObject({ needs: null, may_change: false })
  const may = async (role: GatewayRole) => {
    const settings = await all(role)
    return ['mail.url', 'console.name'].map((id) => settings[id].may_change)
  }
  expect([await may('owner'), await may('admin'), await may('viewer')]).toEqual([
    [true, true],
    [false, true],
    [false, false],
  ])
  await run('settings change', { mail: null }, 'owner')
  expect(live.config().mail).toBeUndefined()
})
