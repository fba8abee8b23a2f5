// What operators do with upstreams that run: switches, resets, tests, lists of models, and previews.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { adminClient } from '../../test/support/admin/admin-client.ts'
import { eventually } from '../../test/support/eventually.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { chat, type Gateway, receiptOf, startGateway } from '../../test/support/gateway/gateway.ts'
import { homeOnSameDatabase, runCommand } from '../../test/support/gateway/home.ts'
import { operate } from '../../test/support/gateway/operate.ts'
import {
  event,
  respondAsRequested,
  respondWithError,
  role,
  startUpstream,
  streamWithoutEnd,
  type Upstream,
} from '../../test/support/upstreams/raw-upstream.ts'

type State = {
  node: string | null
  switch: { state: string; by: string | null; reason: string | null }
  running_requests: number | null
  keys: { key: string; state: string; breaker: string; reason: string | null; until: string | null }[]
}
type Preview = {
  rejection: { code: string; message: string } | null
  candidates: { upstream: string; reason: string | null; usable_keys: number; keys: number; share: number }[]
}

const configOf = (first: Upstream, second: Upstream) => `
upstreams:
  - { id: first, dialect: chat, base_url: "${first.url}", keys: [first-key-123456] }
  - { id: second, dialect: chat, base_url: "${second.url}", keys: [second-key-123456, second-key-654321] }
models:
  - id: pair
    routes: [{ upstream: first, model: inner, cost: { input: 10, output: 20 } }, { upstream: second, model: inner, priority: 2 }]
    price: { input: 1, output: 4, tiers: { fast: 2 }, tools: { web_search: 0.01 } }
  - { id: pic, type: image, routes: [{ upstream: sandbox, model: sandbox-image }], price: { per_image: 0.04, variants: { high: 0.17 } } }
  - { id: film, type: video, routes: [{ upstream: sandbox, model: sandbox-video }], price: { per_second: 0.05 } }
sandbox: true
groups:
  - { id: default, models: ["*"], multiplier: 1 }
  - { id: dear, models: [pair], multiplier: 1.5 }
`
const HELLO = { model: 'pair', messages: [{ role: 'user', content: 'Hello' }] }

describe('one server', () => {
  let first: Upstream
  let second: Upstream
  let gateway: Gateway
  let key: Awaited<ReturnType<typeof newKey>>
  beforeAll(async () => {
    first = await startUpstream(respondAsRequested)
    second = await startUpstream(respondAsRequested)
    gateway = await startGateway({ config: configOf(first, second) })
    key = await newKey(gateway)
  })
  afterAll(async () => {
    await gateway.stop()
    first.stop()
    second.stop()
  })

  const act = (name: string, ...more: string[]) => gateway.command<State>('upstream', name, ...more)
  const stateOf = async (id: string) => (await gateway.command<State[]>('upstream', 'state', id))[0] as State
  const preview = (...more: string[]) => gateway.command<Preview>('model', 'route-preview', 'pair', ...more)
  const reasons = async () => (await preview()).candidates.map(({ upstream, reason }) => [upstream, reason])
  /** Which upstream served it, or the error. */
  const served = async () => {
    const before = second.received.length
    const response = await chat(gateway.url, key.secret, HELLO)
    const { error } = (await response.json()) as { error?: { message: string } }
    if (error) return `${response.status} ${error.message}`
    return second.received.length > before ? 'second' : 'first'
  }

  test('a switched-off upstream gets no new requests, its running ones go on, and the audit log says why', async () => {
    expect(await served()).toBe('first')
    first.behave(streamWithoutEnd(role(), event('Hello')))
    const running = await chat(gateway.url, key.secret, { ...HELLO, stream: true })
    expect(await act('drain', 'first', '--reason', 'moving it')).toMatchObject({
      switch: { state: 'draining', by: 'command-line', reason: 'moving it' },
    })
    expect(await stateOf('first')).toMatchObject({ node: '0', running_requests: 1, switch: { state: 'draining' } })
    expect(await reasons()).toEqual([
      ['first', 'draining'],
      ['second', null],
    ])
    expect(await served()).toBe('second')
    await act('disable', 'second')
    const off = "503 The operator of this gateway has switched off every upstream of 'pair'. Retry later."
    expect(await served()).toBe(off)
    expect(`503 ${(await preview()).rejection?.message}`).toBe(off)
    expect((await stateOf('first')).running_requests).toBe(1)
    await running.body?.cancel()
    await eventually(async () => (await stateOf('first')).running_requests === 0)
    first.behave(respondAsRequested)
    await act('enable', 'first')
    expect(await served()).toBe('first')
    await act('enable', 'second')
    const rows = await gateway.command<{ action: string; before: unknown; after: unknown; reason: string }[]>(
      'audit-log',
      '--object',
      'upstream/first',
    )
    expect(rows).toMatchObject([
      { action: 'upstream enable', before: { state: 'draining' }, after: { state: 'enabled' } },
      { action: 'upstream drain', before: { state: 'enabled' }, after: { state: 'draining' }, reason: 'moving it' },
    ])
  })

  test('a cooling key is shown with reason and time, and a reset ends it', async () => {
    first.behave(respondWithError(429, { 'retry-after': '50' }))
    expect(await served()).toBe('second')
    expect(await reasons()).toEqual([
      ['first', 'cooling_down'],
      ['second', null],
    ])
    const { candidates } = await gateway.command<{
      candidates: { key_states: { key: string; until: string | null }[] }[]
    }>('model', 'route-preview', 'pair')
    const [rest] = candidates[0]?.key_states ?? []
    expect(rest?.key).toBe('...3456')
    expect(Date.parse(rest?.until ?? '')).toBeGreaterThan(Date.now())
    first.behave(respondAsRequested)
    await act('reset', 'first', '--reason', 'limit lifted')
    expect(await reasons()).toEqual([
      ['first', null],
      ['second', null],
    ])
    expect(await served()).toBe('first')
  })

  test('a preview of a route is that of the key: its models, its group, its state', async () => {
    const routes = (await preview('--key', key.keyId)).candidates
    expect(routes.map(({ upstream, keys, usable_keys, share }) => [upstream, keys, usable_keys, share])).toEqual([
      ['first', 1, 1, 1],
      ['second', 2, 2, 0],
    ])
    for (const protocol of ['chat', 'messages'])
      expect(await preview('--protocol', protocol)).toMatchObject({
        candidates: [{ dialect: 'chat', translated: protocol === 'messages' }, { dialect: 'chat' }],
      })
    const restricted = await newKey(gateway, '1', { models: 'pic' })
    const rejection = async (id: string) => (await preview('--key', id)).rejection
    expect(await rejection(restricted.keyId)).toMatchObject({ code: 'model_not_allowed' })
    await gateway.command('key', 'delete', restricted.keyId)
    expect(await rejection(restricted.keyId)).toMatchObject({ code: 'invalid_api_key' })
    const other = await gateway.command<Preview>('model', 'route-preview', 'pic', '--group', 'dear')
    expect(other).toMatchObject({ rejection: { code: 'model_not_allowed' }, candidates: [] })
  })

  test.each<[string[], string]>([
    [['pair', '--units', 'input=1200,output=300'], '(1200 input x 1.00 + 300 output x 4.00) / 1,000,000 = 0.0024 USD'],
    [
      ['pair', '--units', 'input=1200,output=300,tier=fast,tools.web_search=2', '--group', 'dear'],
      '((1200 input x 1.00 + 300 output x 4.00) / 1,000,000 x 2 + 2 web search x 0.01) x 1.5 = 0.0372 USD',
    ],
    [['pic', '--units', 'images=2,quality=high'], '2 images x 0.17 = 0.34 USD'],
    [['film', '--units', 'seconds=4.5'], '4.5 seconds x 0.05 = 0.225 USD'],
  ])('the price of %j has its formula', async (args, formula) => {
    expect(await gateway.command('model', 'price-preview', ...args)).toMatchObject({ formula })
  })

  test('a preview of a price is what a request of these units is charged', async () => {
    const response = await chat(gateway.url, key.secret, HELLO)
    await response.text()
    type Receipt = { units: Record<string, number>; formula: string; cost_usd: string }
    const { units, formula, cost_usd } = await receiptOf<Receipt>(gateway.url, key.secret, response)
    const written = Object.entries(units).map(([name, count]) => `${name}=${count}`)
    const previewed = await gateway.command('model', 'price-preview', 'pair', '--units', written.join(','))
    expect(previewed).toMatchObject({ units, formula, cost_usd })
  })

  test('bad input exits 2', async () => {
    const { code, stderr } = await gateway.cli('model', 'price-preview', 'pair', '--units', 'seconds=4')
    const says = "units.seconds: 'seconds' is no unit of the model 'pair', which takes input,"
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)])
  })

  test.each([
    ['price-preview pair --units input', '--units must be a list such as input=1200,output=300'],
    ['price-preview pair --units input=x', 'units.input must be'],
    ['price-preview pair --units input=1,tier=gold', "units does not fit the price of 'pair'"],
    ['price-preview film --units resolution=720p', "units does not fit the price of 'film'"],
    ['price-preview pair --units input=1 --group gold', "Unknown group 'gold' (available: default, dear, sandbox)."],
    ['route-preview pair --key seven', 'key must be the id of a key'],
    ['route-preview pair --key 999', 'Unknown key id 999.'],
  ])('bad input: model %s', async (args, says) => {
    expect(gateway.command('model', ...args.split(' '))).rejects.toThrow(says)
  })

  test('a test shows its cost before, and books it on nobody’s balance', async () => {
    const books = async () => ({ ...(await key.account()), ...(await gateway.command<{ transfers: number }>('audit')) })
    const before = await books()
    const calls = first.received.length
    const estimate = await gateway.command('upstream', 'test', 'first', '--estimate')
    expect(estimate).toMatchObject({ calls: 2, price: 'cost', cost_at_most_usd: '0.00464', booked: false })
    expect(first.received).toHaveLength(calls)
    const tested = await gateway.command<{ cost_usd: string; checks: { mode: string; ok: boolean }[] }>(
      'upstream',
      'test',
      'first',
    )
    expect(tested).toMatchObject({ ok: true, booked: true, unknown_costs: 0, not_tested: 0 })
    expect(Number(tested.cost_usd)).toBeGreaterThan(0)
    expect(tested.checks.map(({ mode, ok }) => [mode, ok])).toEqual([
      ['unstreamed', true],
      ['streamed', true],
    ])
    expect(await books()).toEqual({ ...before, transfers: before.transfers + 1 })
    expect(await gateway.command('audit-log', '--object', 'upstream/first', '--limit', '1')).toMatchObject([
      { action: 'upstream test', after: { ok: true, cost_usd: tested.cost_usd } },
    ])
  })

  test('a certification asks before it calls, books each part, and keeps responses without the key', async () => {
    const folder = join(gateway.home.dataDir, 'recordings')
    const certify = (typed: string, ...more: string[]) =>
      runCommand(gateway.home, ['upstream', 'certify', 'first', '--json', ...more], {}, typed)
    const calls = first.received.length
    const [unasked, declined, ...wrong] = await Promise.all([
      certify(''),
      certify('n\n'),
      certify('y\n', '--record', '/dev/null/x'),
      certify('y\n', '--model', ''),
      certify('', '--yes', '--max-cost', 'a dollar'),
      certify('', '--yes', '--max-cost', '0.001'),
    ])
    expect(unasked.stderr).toContain('with inner (text): 15 calls, at most 0.')
    expect([unasked.code, unasked.stdout, unasked.stderr]).toEqual([2, '', expect.stringContaining('add --yes')])
    expect([declined.code, declined.stderr]).toEqual([1, expect.stringContaining('nothing was called')])
    const messageOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '').error.message
    expect(wrong.map(({ code, stderr }) => [code, messageOf(stderr)])).toEqual([
      [2, expect.stringContaining('--record: cannot create the folder')],
      [2, expect.stringContaining('--model must')],
      [2, expect.stringContaining("not 'a dollar'")],
      [1, expect.stringMatching(/nothing was called: it could cost \S+ USD, more than --max-cost 0.001/)],
    ])
    expect(first.received).toHaveLength(calls)
    const before = await gateway.command<{ transfers: number }>('audit')
    const done = await certify('y\n', '--record', folder, '--server', 'Stub 1.0', '--max-cost', '5')
    const table = JSON.parse(done.stdout)
    expect(done.code).toBe(1)
    expect(table).toMatchObject({ ok: false, upstream: 'first', server: 'Stub 1.0', kind: 'custom', booked: true })
    expect(table.date).toBe(new Date().toISOString().slice(0, 10))
    expect(table.checks).toContainEqual({ part: 'chat', check: 'text streamed', result: 'passed', reason: null })
    const reason = "the model did not call the tool; it ended with 'stop'"
    expect(table.checks).toContainEqual({ part: 'chat', check: 'tools', result: 'failed', reason })
    expect(done.stderr).toMatch(/^chat: 12 calls, at most \S+ USD \.\.\. \d+ passed, \d+ failed/m)
    expect(JSON.parse(readFileSync(join(folder, 'table.json'), 'utf8'))).toEqual(table)
    expect(readFileSync(join(folder, 'chat/text-streamed.chunks.txt'), 'utf8')).toContain('"content":"Hello"')
    expect(done.stdout + done.stderr).not.toContain('first-key')
    expect(await gateway.command('audit')).toEqual({ ...before, transfers: before.transfers + 1 } as never)
    expect(await gateway.command('audit-log', '--object', 'upstream/first', '--limit', '2')).toMatchObject([
      { action: 'upstream certify', after: { parts: ['completions'] } },
      { action: 'upstream certify', after: { parts: ['chat'], ok: false, cost_usd: table.cost_usd } },
    ])
  })

  test('an operator tests one upstream at a time', async () => {
    first.behave(() => {})
    const calls = first.received.length
    const slow = gateway.command('upstream', 'test', 'first')
    await eventually(() => first.received.length > calls)
    expect(gateway.command('upstream', 'models', 'second')).rejects.toThrow(
      'Another test or listing of upstreams runs.',
    )
    // A request on a connection that was kept open may be sent again.
    first.behave(respondWithError(500))
    first.disconnect()
    expect(await slow).toMatchObject({ ok: false, booked: false })
    first.behave(respondAsRequested)
    expect(await gateway.command('upstream', 'models', 'second')).toMatchObject({ upstream: 'second' })
  })

  test('the admin API does the same, and a dry run of a test says what it costs at most', async () => {
    const { secret } = await operate<{ secret: string }>(gateway, 'admin-key create', { name: 'ops', role: 'admin' })
    const admin = adminClient(gateway.url, secret)
    const calls = first.received.length
    const dry = await admin('POST', 'upstreams/first/test?dry_run=true', { body: {} })
    expect(dry.body).toEqual({
      object: 'dry_run',
      action: 'upstream test',
      target: 'upstream/first',
      before: null,
      after: { model: 'inner', calls: 2, cost_at_most_usd: '0.00464' },
      effects: {},
    })
    expect(first.received).toHaveLength(calls)
    expect((await admin('POST', 'upstreams/first/test', { body: { model: 'pair' } })).body).toMatchObject({
      object: 'upstream_test',
      ok: true,
      booked: true,
    })
    const booked = await admin('GET', 'ledger/transfers?kind=test&limit=1')
    expect(booked.body).toMatchObject({ data: [{ kind: 'test', from: 'tests', to: 'revenue', request_id: null }] })
    const disabled = await admin('POST', 'upstreams/second/disable', { body: { reason: 'by API' } })
    const by = expect.stringMatching(/^admin-key\/\d+$/)
    expect(disabled.body).toMatchObject({ switch: { state: 'disabled', by, reason: 'by API' }, node: '0' })
    const route = await admin('GET', `models/pair/route-preview?key=${key.keyId}`)
    expect(route.body).toMatchObject({
      object: 'route_preview',
      candidates: [
        { upstream: 'first', share: 1 },
        { upstream: 'second', reason: 'disabled' },
      ],
    })
    await admin('POST', 'upstreams/second/enable')
    const state = await admin('GET', 'upstreams/second/state')
    expect(state.body).toMatchObject({ object: 'upstream_state', switch: { state: 'enabled' }, running_requests: 0 })
    const price = await admin('POST', 'models/pair/price-preview', { body: { units: { input: 1_000_000 } } })
    expect(price.body).toMatchObject({ object: 'price_preview', cost_usd: '1.00', lines: [{ name: 'input' }, {}] })
    const listed = await admin('GET', 'upstreams/first/models')
    expect(listed.body).toMatchObject({ object: 'upstream_models', unlisted: [{ model: 'inner' }] })
    const text = JSON.stringify([dry, disabled, route, state, listed])
    expect(text).not.toMatch(/first-key|second-key/)
  })

  test('the list of models is compared with what is configured', async () => {
    expect(await gateway.command('upstream', 'models', 'first')).toMatchObject({
      upstream: 'first',
      is_complete: true,
      configured: [],
      unlisted: [{ model: 'inner', ids: ['pair'] }],
    })
  })
})

test('two nodes on one database follow switches and resets of each other', async () => {
  const [first, second] = await Promise.all([startUpstream(respondAsRequested), startUpstream(respondAsRequested)])
  const config = configOf(first, second)
  const one = await startGateway({ engine: 'postgres', config })
  const two = await startGateway({ home: homeOnSameDatabase(one.home, config) })
  const { secret } = await newKey(one)
  const statuses = async () => {
    const responses = await Promise.all([one, two].map(({ url }) => chat(url, secret, HELLO)))
    for (const response of responses) await response.text()
    return responses.map(({ status }) => status).join()
  }
  expect(await statuses()).toBe('200,200')
  for (const id of ['first', 'second']) await one.command('upstream', 'disable', id)
  await eventually(async () => (await statuses()) === '503,503')
  await two.command('upstream', 'enable', 'first')
  await eventually(async () => (await statuses()) === '200,200')
  first.behave(respondWithError(429, { 'retry-after': '50' }))
  expect(await statuses()).toBe('429,429')
  first.behave(respondAsRequested)
  expect(await statuses()).toBe('429,429')
  await one.command('upstream', 'reset', 'first')
  await eventually(async () => (await statuses()) === '200,200')
  const tested = await one.cli('upstream', 'test', 'first', '--json')
  expect(JSON.parse(tested.stdout)).toMatchObject({ ok: true, booked: true })
  expect(await audit(two)).toMatchObject({ ok: true })
  await Promise.all([one.stop(), two.stop()])
  first.stop()
  second.stop()
})
