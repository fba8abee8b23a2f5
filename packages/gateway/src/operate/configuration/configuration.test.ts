// Operations on the stored configuration: merged, validated as a whole, one revision and one audit row each, and in force at once.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  ENV,
  FILE,
  KEY,
  live,
  liveWith,
  logged,
  MODEL,
  openStore,
  rejection,
  run,
  startWith,
  storage,
  UPSTREAM,
  useFolder,
  withEntries,
} from '../../../test-support/configuration-operations.ts'
import type { GatewayRole } from '../../storage/storage.ts'

useFolder()

const withoutNulls = (value: object) => Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null))
const jsonValue = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value)

describe('changes', () => {
  beforeEach(openStore)
  afterEach(() => storage.close())

  test('an upstream and a model are in force at once, each as one revision with one audit row', async () => {
    const created = await run('upstream create', { ...UPSTREAM, reason: 'a new vendor' })
    expect(created).toMatchObject({
      id: 'main',
      base_url: UPSTREAM.base_url,
      proxy: null,
      source: { from: 'stored', revision: 1, file: null, line: null, variable: null },
      read_only: false,
      shadowed: null,
      invalid: null,
      keys: [{ id: expect.stringMatching(/^sec_[0-9a-f]{24}$/), last_four: '6789', added_at: expect.any(String) }],
    })
    expect(live.config().upstreams.get('main')?.keys).toEqual([KEY])
    await run('model create', MODEL)
    expect(live.catalogue().offers.get('default')?.get('gpt-x')?.configuration).toBe(
      JSON.stringify({ revision: 2, file: live.config().fileHash }),
    )
    const rows = await storage.auditLog.page({}, 10)
    expect(rows.map(({ action, object, reason }) => [action, object, reason])).toEqual([
      ['model create', 'model/gpt-x', ''],
      ['upstream create', 'upstream/main', 'a new vendor'],
    ])
    expect(rows[1]?.after).toMatchObject({ base_url: UPSTREAM.base_url, keys: [expect.stringMatching(/^hmac:/)] })
    expect(JSON.stringify([rows, created, await run('revision show', { revision: '1' })], jsonValue)).not.toContain(KEY)
  })

  test('an upstream in China is stored with its region, and a key of the one region is never sent to the other', async () => {
    await run('upstream create', { id: 'kimi', kind: 'moonshot', region: 'china', keys: [KEY] })
    expect(live.config().upstreams.get('kimi')?.baseUrl).toBe('https://api.moonshot.cn')
    expect(await rejection('upstream change', { upstream: 'kimi', region: null })).toContain('keys_needed')
    await run('upstream change', { upstream: 'kimi', region: null, keys: ['another-key-987654321'] })
    expect(live.config().upstreams.get('kimi')?.baseUrl).toBe('https://api.moonshot.ai')
  })

  test('the URL of a webhook is a secret: its host alone is shown, everywhere', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const url = 'https://hooks.example.com/services/T0/B0/planted-path'
    const { settings } = await run('settings change', { alerts: { webhooks: [{ url, secret }] } })
    const shown = settings.find(({ id }: never) => id === 'alerts.webhooks')
    expect(shown.value).toEqual([
      {
        url: { id: expect.any(String), last_four: 'hooks.example.com', added_at: expect.any(String) },
        secret: { id: expect.any(String), last_four: secret.slice(-4), added_at: expect.any(String) },
      },
    ])
    expect(live.config().alerts.webhooks).toEqual([{ url, secret }])
    const { text } = await run('config export', {})
    const rows = await storage.auditLog.page({}, 10)
    const seen = [settings, rows, text, await run('revision show', { revision: '1' })]
    expect(JSON.stringify(seen, jsonValue)).not.toContain('planted-path')
  })

  test('lists have entries of every source, with place and written fields', async () => {
    await withEntries()
    const { items } = await run('upstream list', { limit: 100 })
    expect(items.map(({ id, source, read_only }: never) => [id, withoutNulls(source), read_only])).toEqual([
      ['filed', { from: 'file', file: '/etc/trivium.yaml', line: 1 }, true],
      ['gemini', { from: 'environment', variable: 'GEMINI_API_KEY' }, true],
      ['main', { from: 'stored', revision: 1 }, false],
    ])
    expect(items[0].keys).toEqual([{ id: null, last_four: 'file', added_at: null }])
    const listed = await run('upstream key list', { upstream: 'filed' })
    expect(listed.items).toMatchObject([{ id: null, last_four: 'file', place: 'line 1 of /etc/trivium.yaml' }])
    expect(JSON.stringify(items)).not.toContain('a-key-of')
    const page = await run('upstream list', { limit: 1, after: 'filed' })
    expect([page.items.map(({ id }: never) => id), page.next]).toEqual([['gemini'], 'gemini'])
    const cost = async (role: GatewayRole, model: string) => (await run('model show', { model }, role)).routes[0].cost
    expect([await cost('finance', 'gpt-x'), await cost('support', 'gpt-x')]).toEqual([MODEL.routes[0]?.cost, undefined])
    expect([await cost('admin', 'written'), await cost('viewer', 'written')]).toEqual([
      { input: 1, output: 1 },
      undefined,
    ])
  })

  test('a change merges: absent stays, null goes, objects merge, lists replace', async () => {
    await withEntries()
    await run('model change', { model: 'gpt-x', price: { cached_input: '0.5' }, limits: { context: 1000 } })
    await run('model change', { model: 'gpt-x', price: { input: '3' }, limits: null })
    const shown = await run('model show', { model: 'gpt-x' })
    expect([shown.price, shown.limits]).toEqual([{ input: '3', output: '8', cached_input: '0.5' }, null])
    expect(await storage.configuration.revision()).toBe(4)
    // Nothing to change is no revision.
    await run('model change', { model: 'gpt-x', price: { input: '3' } })
    expect(await storage.configuration.revision()).toBe(4)
  })

  test('finance changes prices and multipliers, and nothing else', async () => {
    await withEntries()
    await run('group create', { id: 'staff', models: ['*'] })
    await run('model change', { model: 'gpt-x', price: { input: '5' } }, 'finance')
    await run('group change', { group: 'staff', multiplier: '0.5' }, 'finance')
    expect(live.config().groups.get('staff')?.multiplierMillionths).toBe(500_000n)
  })

  test('the first group writes the default group, too; the first real upstream ends the sandbox: both are said before', async () => {
    liveWith('')
    const effects = async (name: string, input: object) =>
      (await run(name, input, 'admin', { dryRun: true }).catch((preview) => preview.entry.after.effects)) as string[]
    delete (ENV as Partial<typeof ENV>).GEMINI_API_KEY
    liveWith('')
    expect(await effects('upstream create', UPSTREAM)).toEqual([
      expect.stringContaining('sandbox is switched off'),
      expect.stringContaining('Registration is closed'),
      expect.stringContaining('trial credit'),
    ])
    expect(await effects('group create', { id: 'staff', models: ['*'] })).toEqual([
      expect.stringContaining("'default'"),
    ])
    expect(await storage.configuration.revision()).toBe(0)
    await run('group create', { id: 'staff', models: ['*'] })
    expect([...live.config().groups.keys()].sort()).toEqual(['default', 'sandbox', 'staff'])
    expect(await storage.configuration.revision()).toBe(1)
    ENV.GEMINI_API_KEY = 'a-key-of-the-environment'
  })

  test('keys are added, removed and erased; with an erased one, no revision can be restored', async () => {
    await withEntries()
    const { id: second } = await run('upstream key add', { upstream: 'main', secret: 'another-planted-key-42' })
    expect(live.config().upstreams.get('main')?.keys).toEqual([KEY, 'another-planted-key-42'])
    const { items } = await run('upstream key list', { upstream: 'main' })
    expect(items.map(({ last_four }: never) => last_four)).toEqual(['6789', 'y-42'])
    await run('upstream key remove', { upstream: 'main', key: second })
    expect(live.config().upstreams.get('main')?.keys).toEqual([KEY])
    await run('revision restore', { revision: '3' })
    expect(live.config().upstreams.get('main')?.keys).toEqual([KEY, 'another-planted-key-42'])
    await run('upstream key erase', { upstream: 'main', key: second })
    expect(live.config().upstreams.get('main')?.keys).toEqual([KEY])
    expect(await rejection('revision restore', { revision: '3' })).toContain(
      "secrets that were erased: upstream 'main'",
    )
    // The same holds for an upstream that is gone.
    await run('model delete', { model: 'gpt-x' })
    await run('upstream delete', { upstream: 'main' })
    await run('upstream key erase', { upstream: 'main', key: items[0].id })
    expect(await rejection('revision restore', { revision: '1' })).toContain('secret_erased')
  })

  test('a new place is taken with new keys; a revision brings back all that it had, and can be undone', async () => {
    await withEntries()
    const base_url = 'https://two.example.com/v1'
    await run('upstream change', { upstream: 'main', base_url, keys: ['new-key-0123456789'] })
    await run('settings change', { console: { name: 'Mine' }, registration: { open: true } })
    expect([live.config().console.name, live.config().registration.open]).toEqual(['Mine', true])
    const restored = await run('revision restore', { revision: '2', reason: 'too early' })
    expect(restored).toMatchObject({ id: '5', action: 'revision restore', reason: 'too early' })
    expect(restored.changes.map(({ kind, id }: never) => `${kind}/${id}`)).toEqual([
      'setting/console.name',
      'setting/registration.open',
      'upstream/main',
    ])
    expect(live.config().upstreams.get('main')).toMatchObject({ baseUrl: UPSTREAM.base_url, keys: [KEY] })
    expect([live.config().console.name, live.config().registration.open]).toEqual(['Trivium', false])
    await run('revision restore', { revision: '4' })
    expect(live.config().upstreams.get('main')?.baseUrl).toBe(base_url)
    const list = await run('revision list', { limit: 2 })
    expect([list.items.map(({ id }: never) => id), list.next]).toEqual([['6', '5'], '5'])
    expect((await run('revision list', { limit: 9, after: '2' })).items.map(({ id }: never) => id)).toEqual(['1'])
  })

  test('two writers at once: both changes are there', async () => {
    await withEntries()
    const change = (n: number) => run('upstream create', { ...UPSTREAM, id: `u${n}` })
    await Promise.all([1, 2, 3, 4].map(change))
    expect(await storage.configuration.revision()).toBe(6)
    expect([...live.config().upstreams.keys()].sort()).toEqual(['filed', 'gemini', 'main', 'u1', 'u2', 'u3', 'u4'])
  })

  test('an edit of the file shadows a stored entry, or makes it invalid; it is shown, and comes back', async () => {
    await withEntries()
    await run('group create', { id: 'few', models: ['written'] })
    const bytes = (text: string) => ({ path: '/etc/trivium.yaml', bytes: Buffer.from(text) })
    await live.useFile(bytes('models: [{ id: gpt-x, routes: [{ upstream: main }], price: { input: 9, output: 9 } }]\n'))
    expect(await run('model show', { model: 'gpt-x' })).toMatchObject({
      source: { from: 'file', line: 1 },
      read_only: true,
      price: { input: 9, output: 9 },
      shadowed: { price: MODEL.price, revision: 2 },
    })
    expect(await run('group show', { group: 'few' })).toMatchObject({ invalid: [expect.stringContaining('written')] })
    expect(logged.filter((text) => text.includes('a stored entry is not in force'))).toHaveLength(1)
    expect(await run('config unused')).toEqual([
      'stored models/gpt-x is overridden by the file or the environment',
      expect.stringMatching(/^stored groups\/few is left out: stored groups\[few\]\.models.*unknown model "written"/),
    ])
    const listed = async (filter: object) => (await run('config entries', filter)).items
    expect(await listed({ state: 'shadowing' })).toMatchObject([
      { id: 'models/gpt-x', kind: 'model', name: 'gpt-x', source: { from: 'file', line: 1 }, shadowed_revision: 2 },
    ])
    expect(await listed({ state: 'invalid' })).toMatchObject([
      {
        id: 'groups/few',
        source: { from: 'stored' },
        state: 'invalid',
        mistakes: [expect.stringContaining('written')],
      },
    ])
    expect((await listed({ from: 'environment' })).map(({ id }: never) => id)).toContain('upstreams/gemini')
    expect(await listed({ kind: 'upstream', limit: 1, after: 'upstreams/gemini' })).toMatchObject([
      { id: 'upstreams/main', source: { from: 'stored', revision: 1 }, state: 'in force', mistakes: [] },
    ])
    expect(await rejection('upstream delete', { upstream: 'main' })).toContain('named_by_file: ')
    await run('model delete', { model: 'gpt-x' })
    expect(await run('model show', { model: 'gpt-x' })).toMatchObject({ shadowed: null })
    await live.useFile(bytes(FILE))
    expect(await run('group show', { group: 'few' })).toMatchObject({ invalid: null })
  })

  test('a node that cannot apply a revision keeps the one before, says so once, and follows when its file fits', async () => {
    await withEntries()
    const other = startWith('models: []')
    await other.refresh()
    await other.useFile({
      path: 'x',
      bytes: Buffer.from('models: [{ id: m, routes: [{ upstream: main }], price: { input: 1, output: 1 } }]'),
    })
    expect(other.config().revision).toBe(2)
    await run('model delete', { model: 'gpt-x' })
    await run('upstream delete', { upstream: 'main' })
    const before = logged.length
    await other.refresh()
    await other.refresh()
    expect(other.config().revision).toBe(2)
    expect(other.config().upstreams.has('main')).toBe(true)
    expect(logged.slice(before)).toEqual(['the stored configuration is not in force here'])
    await other.useFile({ path: 'x', bytes: Buffer.from('sandbox: true') })
    expect(other.config().revision).toBe(4)
  })
})

describe('rejected, and nothing is written', () => {
  beforeAll(async () => {
    await openStore()
    await withEntries()
  })
  afterAll(() => storage.close())

  test.each<[string, object, string]>([
    ['upstream create', UPSTREAM, "entry_exists: The upstream 'main' exists"],
    ['upstream create', { ...UPSTREAM, id: 'filed' }, 'line 1 of /etc/trivium.yaml'],
    ['upstream create', { ...UPSTREAM, id: 'gemini' }, 'the environment variable GEMINI_API_KEY'],
    ['upstream create', { ...UPSTREAM, id: 'x', colour: 'red' }, 'unknown_field'],
    ['upstream create', { ...UPSTREAM, id: 'x', allow_private: true }, 'can only be set in the configuration file'],
    ['upstream create', { ...UPSTREAM, id: 'x', keys: [{ $secret: 'sec_1' }] }, 'be the secret itself'],
    ['upstream change', { upstream: 'filed', quota: 'x' }, 'line 1 of /etc/trivium.yaml'],
    ['upstream change', { upstream: 'gemini', quota: 'x' }, 'GEMINI_API_KEY'],
    ['upstream change', { upstream: 'nothing', quota: 'x' }, "unknown_entry: There is no upstream 'nothing'"],
    ['upstream change', { upstream: 'main', base_url: 'https://two.example.com/v1' }, 'keys_needed'],
    ['upstream change', { upstream: 'main', proxy: 'http://proxy.example.com:3128' }, 'keys_needed'],
    ['upstream change', { upstream: 'main', region: 'china' }, 'keys_needed'],
    ['upstream change', { upstream: 'main', resource: 'other' }, 'keys_needed'],
    ['upstream delete', { upstream: 'main' }, "breaks_entries: Other stored entries depend on this: model 'gpt-x'"],
    ['upstream delete', { upstream: 'filed' }, 'line 1 of /etc/trivium.yaml'],
    ['upstream key remove', { upstream: 'main', key: 'sec_0' }, 'unknown_upstream_key'],
    ['upstream key erase', { upstream: 'filed', key: 'sec_0' }, 'unknown_upstream_key'],
    [
      'settings change',
      { registration: { trial_credit: '1' } },
      "setting 'registration.trial_credit' comes from line 3",
    ],
    ['settings change', { server: { tls: { cert: 'x', key: 'y' } } }, 'can only be set in the configuration file'],
    ['settings change', { retention: { responses: 'soon' } }, 'configuration_mistake: retention.responses'],
    ['revision show', { revision: '9' }, 'unknown_revision'],
    ['revision restore', { revision: '9' }, 'unknown_revision'],
  ])('%s %j: %s', async (name, input, expected) => {
    expect(await rejection(name, input)).toContain(expected)
    expect(await storage.configuration.revision()).toBe(2)
    expect(await storage.auditLog.page({}, 10)).toHaveLength(2)
  })

  test.each<[GatewayRole, string, object]>([
    ['support', 'model change', { model: 'gpt-x', price: { input: '1' } }],
    ['finance', 'model change', { model: 'gpt-x', price: { input: '1' }, type: 'text' }],
    ['finance', 'group create', { id: 'g', models: ['*'] }],
    ['finance', 'revision restore', { revision: '1' }],
    ['viewer', 'upstream key add', { upstream: 'main', secret: 'x' }],
  ])('%s: %s %j', async (role, name, input) => {
    expect(await rejection(name, input, role)).toContain('forbidden')
  })

  test('all mistakes of an entry at once, each with its field', async () => {
    const wrong = { id: 'm', routes: [{ upstream: 'none' }], price: { input: 'x' }, fallbacks: ['nothing'] }
    const error = await run('model create', wrong).catch((error) => error)
    expect(error.all.map(({ reason, details }: never) => [reason, (details as { field: string }).field])).toEqual([
      ['configuration_mistake', 'price.input'],
      ['configuration_mistake', 'price'],
      ['configuration_mistake', 'routes[0].upstream'],
      ['configuration_mistake', 'fallbacks[0]'],
    ])
  })
})
