// Background responses with the official SDK: two nodes on PostgreSQL, of which either answers for what the other one runs.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { eventually } from '../support/eventually.ts'
import { audit, newKey } from '../support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import { homeOnSameDatabase } from '../support/gateway/home.ts'
import { operate } from '../support/gateway/operate.ts'
import { type GatedChat, startGatedChat } from '../support/upstreams/gated-chat.ts'
import { configOfDialects } from '../support/upstreams/recorded-upstream.ts'
import { startRecordingSandbox } from '../support/upstreams/recording-sandbox.ts'

const STREAM = { usageWaitMs: 100 }
const TIMING = { tickMs: 50, runWaitMs: 200, runWatchMs: 50, runCheckMs: 500, followMs: 20 }
const sandbox = startRecordingSandbox()
let gated: GatedChat
let nodes: [Gateway, Gateway]

const configWith = (gatedOrigin: string): string =>
  `server: { limits: { background_responses: 64 } }\n${configOfDialects(sandbox.origin, 'sandbox-text')}`
    .replace(
      'upstreams:\n',
      `upstreams:\n  - { id: gated, dialect: chat, base_url: "${gatedOrigin}", keys: [k], breaker: false }\n`,
    )
    .replace(
      'models:\n',
      'models:\n  - { id: gated, routes: [{ upstream: gated, model: m }], price: { input: 1, output: 4 } }\n',
    )

beforeAll(async () => {
  gated = startGatedChat()
  const config = configWith(gated.origin)
  const first = await startGateway({ engine: 'postgres', config, taskTiming: TIMING, streamTiming: STREAM })
  const second = await startGateway({
    home: homeOnSameDatabase(first.home, config),
    taskTiming: TIMING,
    streamTiming: STREAM,
  })
  nodes = [first, second]
})
afterAll(async () => {
  const [first, second] = nodes
  expect(await audit(first)).toMatchObject({ ok: true, open_holds: 0 })
  for (const node of nodes) expect(node.output().stderr).not.toMatch(/"level":"error"/)
  await second.stop()
  await first.stop()
  gated.stop()
  sandbox.stop()
})

type Response = OpenAI.Responses.Response
type Event = OpenAI.Responses.ResponseStreamEvent

async function newClient(credit = '10', more: Record<string, string> = {}) {
  const key = await newKey(nodes[0], credit, more)
  const clients = nodes.map(({ url }) => new OpenAI({ apiKey: key.secret, baseURL: `${url}/v1`, maxRetries: 0 }))
  const [here, there] = clients as [OpenAI, OpenAI]
  const begin = (input: string, fields: object = {}): Promise<Response> =>
    here.responses.create({ model: 'gated', input, background: true, ...fields })
  const until = async (id: string, status: string, client = there): Promise<Response> => {
    let found: Response | undefined
    await eventually(async () => {
      found = await client.responses.retrieve(id)
      return found.status === status
    })
    return found as Response
  }
  return { ...key, here, there, begin, until }
}

const errorOf = (promise: PromiseLike<unknown>): Promise<unknown> => Promise.resolve(promise).catch((error) => error)
const wordsOf = (events: readonly Event[]): string =>
  events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')
const outcomes = (rows: readonly { outcome: string; cost_usd: string }[]) =>
  rows.map(({ outcome, cost_usd }) => [outcome, cost_usd])

test.each([
  'chat',
  'responses',
  'messages',
  'generate-content',
])('an upstream of %s gets an ordinary call', async (dialect) => {
  const { here, there, until, rows, account } = await newClient()
  const model = `over-${dialect}`
  const metadata = { topic: 'tea' }
  const queued = await here.responses.create({ model, input: 'Say 3 words.', background: true, metadata })
  expect(queued).toMatchObject({ status: 'queued', background: true, model, output: [], metadata, store: true })
  const completed = await until(queued.id, 'completed')
  const { id, created_at } = queued
  expect(completed).toMatchObject({ id, created_at, background: true, status: 'completed', store: true })
  expect(completed.output_text.length).toBeGreaterThan(5)
  expect(sandbox.last()).not.toHaveProperty('background')
  const [row, ...others] = await rows()
  expect([row?.outcome, row?.request_id.slice(4), others]).toEqual(['completed', id.slice(5), []])
  expect(Number(row?.cost_usd)).toBeGreaterThan(0)
  expect(await account()).toMatchObject({ held_usd: '0.00' })
  // It can be continued as any other.
  const next = await there.responses.create({ model, input: 'And?', previous_response_id: id })
  expect(JSON.stringify(sandbox.last())).toContain('Say 3 words.')
  expect(next.previous_response_id).toBe(id)
})

test('a stream goes on where it was left, on the other node, while the response is generated and afterwards', async () => {
  const { here, there, begin, until, rows } = await newClient()
  const input = 'resume'
  const stream = await here.responses.create({ model: 'gated', input, background: true, stream: true })
  const before: Event[] = []
  for await (const event of stream) {
    before.push(event)
    if (event.type === 'response.output_text.delta') break
  }
  const { id } = (before[0] as OpenAI.Responses.ResponseCreatedEvent).response
  const last = before.at(-1)?.sequence_number ?? 0
  // The client left: the response is generated all the same.
  expect(await there.responses.retrieve(id)).toMatchObject({ status: 'in_progress', background: true, output: [] })
  const waiting = await errorOf(there.responses.create({ model: 'gated', input: 'x', previous_response_id: id }))
  expect(waiting).toMatchObject({ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' })
  const after: Event[] = []
  const resumed = await there.responses.retrieve(id, { stream: true, starting_after: last })
  gated.open(input)
  for await (const event of resumed) after.push(event)
  expect(wordsOf([...before, ...after])).toBe('one two three')
  const numbers = [...before, ...after].map(({ sequence_number }) => sequence_number)
  expect(numbers).toEqual(numbers.map((_, index) => index))
  expect([before, after].flatMap((events) => events.map(({ type }) => type))).toEqual([
    ...['response.created', 'response.queued', 'response.in_progress', 'response.output_item.added'],
    ...['response.content_part.added', ...Array(3).fill('response.output_text.delta')],
    ...['response.output_text.done', 'response.content_part.done', 'response.output_item.done', 'response.completed'],
  ])
  const completed = await until(id, 'completed')
  expect((after.at(-1) as OpenAI.Responses.ResponseCompletedEvent).response).toEqual(
    expect.objectContaining({ id, output: completed.output, usage: completed.usage }),
  )
  // All of it once more, and nothing behind its last event.
  const again: Event[] = []
  for await (const event of await here.responses.retrieve(id, { stream: true })) again.push(event)
  expect(again).toEqual([...before, ...after])
  const nothing: Event[] = []
  const behind = { stream: true, starting_after: again.length - 1 } as const
  for await (const event of await here.responses.retrieve(id, behind)) nothing.push(event)
  expect(nothing).toEqual([])
  expect(outcomes(await rows())).toEqual([['completed', '0.000019']])
  const failed = await begin('fail')
  expect(await until(failed.id, 'failed')).toMatchObject({ error: { code: 'server_error' }, output: [] })
  const events: Event[] = []
  for await (const event of await there.responses.retrieve(failed.id, { stream: true })) events.push(event)
  expect(events.map(({ type }) => type)).toEqual(['response.created', 'response.queued', 'response.failed'])
  expect(outcomes(await rows())[0]).toEqual(['failed', '0.00'])
})

test('cancel: a running response from the other node, a queued one, and each of them twice', async () => {
  const { there, begin, until, rows, settled, account, secret } = await newClient('10', { concurrent: '1' })
  const running = await begin('cancel me')
  await until(running.id, 'in_progress')
  await eventually(() => gated.asked.some(({ text }) => text.includes('cancel me')))
  // The concurrency of the key counts: it runs one at a time.
  const queued = await begin('I wait')
  expect(await there.responses.cancel(queued.id)).toMatchObject({ id: queued.id, status: 'cancelled', output: [] })
  expect(await there.responses.cancel(running.id)).toMatchObject({ id: running.id, status: 'cancelled', output: [] })
  await eventually(() => gated.asked.some(({ text, isClosed }) => text.includes('cancel me') && isClosed))
  expect(await there.responses.cancel(running.id)).toMatchObject({ status: 'cancelled' })
  const ended = await settled()
  expect(ended.map(({ outcome }) => outcome)).toEqual(['cancelled', 'client_disconnected'])
  expect(Number(ended[0]?.cost_usd)).toBe(0)
  // What had come until then is charged, as of a client that disconnects.
  expect(Number(ended[1]?.cost_usd)).toBeGreaterThan(0)
  expect(await account()).toMatchObject({ held_usd: '0.00' })
  expect(gated.asked.filter(({ text }) => text.includes('I wait'))).toEqual([])
  const events: string[] = []
  for await (const { type } of await there.responses.retrieve(running.id, { stream: true })) events.push(type)
  expect(events.at(-1)).toBe('response.cancelled')
  // DELETE ends what runs.
  const unwanted = await begin('delete me')
  await until(unwanted.id, 'in_progress')
  const path = `${nodes[1].url}/v1/responses/${unwanted.id}`
  const headers = { authorization: `Bearer ${secret}` }
  const deleted = await fetch(path, { method: 'DELETE', headers })
  expect([deleted.status, await deleted.json()]).toEqual([200, { id: unwanted.id, object: 'response', deleted: true }])
  expect((await fetch(path, { headers })).status).toBe(404)
  expect((await fetch(`${path}?stream=true`, { headers })).status).toBe(404)
  expect(await rows()).toHaveLength(3)
})

test.each<[string, (made: { keyId: string; email: string }) => Promise<unknown>]>([
  ['a revoked key', ({ keyId }) => operate(nodes[0], 'key delete', { key: keyId })],
  ['a disabled account', ({ email }) => operate(nodes[0], 'account disable', { account: email })],
])('%s cancels what is queued and what runs', async (name, end) => {
  const { begin, until, keyId, email, settled } = await newClient('10', { concurrent: '1' })
  const running = await begin(`runs with ${name}`)
  await until(running.id, 'in_progress')
  await begin(`waits with ${name}`)
  await end({ keyId, email })
  await eventually(async () => (await settled()).length === 2)
  expect((await settled()).map(({ outcome }) => outcome)).toEqual(['cancelled', 'client_disconnected'])
  expect(gated.asked.filter(({ text }) => text.includes(`waits with ${name}`))).toEqual([])
})

test('what is wrong gets its error at once, and costs nothing', async () => {
  const { here, begin, rows, secret } = await newClient()
  const poor = await newClient('0')
  const other = await newClient()
  const foreground = await here.responses.create({ model: 'over-chat', input: 'Hello' })
  const [before] = [await rows()]
  const made = await begin('errors')
  gated.open('errors')
  const wrong = (status: number, param: string | null, code?: string) =>
    expect.objectContaining({ status, param, ...(code ? { code } : {}) })
  expect(await errorOf(begin('x', { store: false }))).toEqual(wrong(400, 'store'))
  expect(await errorOf(poor.begin('x'))).toEqual(wrong(402, null, 'insufficient_balance'))
  expect(await errorOf(begin('x', { model: 'none' }))).toEqual(wrong(404, 'model', 'model_not_found'))
  expect(await errorOf(here.responses.cancel(foreground.id))).toEqual(wrong(400, 'response_id'))
  expect(await errorOf(here.responses.cancel('resp_none'))).toEqual(wrong(404, 'response_id'))
  expect(await errorOf(other.here.responses.cancel(made.id))).toEqual(wrong(404, 'response_id'))
  expect(await errorOf(other.here.responses.retrieve(made.id))).toEqual(wrong(404, 'response_id'))
  for (const piece of ['request', 'response', 'events-0'])
    expect(await errorOf(here.responses.retrieve(`${made.id}#${piece}`))).toEqual(wrong(404, 'response_id'))
  const streamed = { headers: { authorization: `Bearer ${secret}` } }
  const status = async (path: string) => (await fetch(`${nodes[0].url}/v1/responses/${path}`, streamed)).status
  expect(await status(`${made.id}?stream=true&starting_after=x`)).toBe(400)
  expect(await status(`${foreground.id}?stream=true`)).toBe(400)
  await eventually(async () => (await here.responses.retrieve(made.id)).status === 'completed')
  expect((await rows()).length).toBe(before.length + 1)
  expect(await poor.rows()).toEqual([])
})

test('a greedy account waits for itself: its queue is bounded, and a polite one is served beside it', async () => {
  const [greedy, polite] = [await newClient('100'), await newClient()]
  const begin = (count: number) => Promise.all(Array.from({ length: count }, () => errorOf(greedy.begin('greedy'))))
  // What arrives at two nodes in the same moment may exceed the bound by a few; what comes later does not.
  const answers = [...(await begin(100)), ...(await begin(5))]
  const rejected = answers.filter((answer) => answer instanceof OpenAI.APIError)
  expect(rejected.length).toBe(5)
  for (const error of rejected) expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
  const queued = answers.filter((answer) => !rejected.includes(answer as never)) as Response[]
  gated.open('polite')
  const { id } = await polite.begin('polite')
  await polite.until(id, 'completed')
  // On each node an account runs eight at a time.
  const isGreedy = ({ text }: { text: string }) => text.includes('greedy')
  await eventually(() => gated.asked.filter(isGreedy).length === 16)
  await Promise.all(queued.map((each) => greedy.there.responses.cancel(each.id)))
  // On a busy machine some were cancelled before their first output. An account that does so often is charged for what comes after.
  gated.open('greedy')
  const ids = (await greedy.settled()).map(({ request_id }) => request_id.slice('req_'.length))
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids).toEqual(expect.arrayContaining(queued.map(({ id }) => id.slice('resp_'.length))))
  expect(await greedy.account()).toMatchObject({ held_usd: '0.00' })
})

test('a stream that the account has no room for is rejected before anything is queued', async () => {
  const { here, begin, until, secret, account, rows } = await newClient()
  const { id } = await begin('crowded')
  await until(id, 'in_progress')
  const headers = { authorization: `Bearer ${secret}` }
  const follow = () => fetch(`${nodes[0].url}/v1/responses/${id}?stream=true`, { headers })
  const streams = await Promise.all(Array.from({ length: 32 }, follow))
  expect(streams.map(({ status }) => status)).toEqual(Array.from({ length: 32 }, () => 200))
  const { held_usd } = await account()
  const more = here.responses.create({ model: 'gated', input: 'one more', background: true, stream: true })
  expect(await errorOf(more)).toMatchObject({ status: 429 })
  expect([(await account()).held_usd, (await rows()).filter(({ outcome }) => outcome === 'running').length]).toEqual([
    held_usd,
    1,
  ])
  await here.responses.cancel(id)
  await Promise.all(streams.map((stream) => stream.text()))
  // Their places are free again.
  const next = await here.responses.create({ model: 'gated', input: 'resume', background: true, stream: true })
  for await (const event of next) expect(event.sequence_number).toBeGreaterThanOrEqual(0)
})

test('kill -9: what is queued still runs, and what runs ends as a request of a dead node does', async () => {
  const config = configWith(gated.origin)
  const options = { taskTiming: TIMING, streamTiming: STREAM }
  let gateway = await startGateway({ config, ...options })
  const { home } = gateway
  try {
    const key = await newKey(gateway, '10', { concurrent: '2' })
    const at = () => new OpenAI({ apiKey: key.secret, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const model = 'gated'
    const begin = (input: string) => at().responses.create({ model, input, background: true })
    const running = await begin('killed in the background')
    await eventually(async () => (await at().responses.retrieve(running.id)).status === 'in_progress')
    const foreground = await at().responses.create({ model, input: 'killed in the foreground', stream: true })
    const told = foreground[Symbol.asyncIterator]()
    await told.next()
    const queued = await begin('survives')
    await eventually(() => gated.asked.filter(({ text }) => text.includes('killed')).length === 2)
    await gateway.kill()
    await told.next().catch(() => undefined)
    gated.open('survives')
    gateway = await startGateway({ home, ...options })
    const status = async (id: string) => (await at().responses.retrieve(id)).status
    await eventually(async () => (await status(queued.id)) === 'completed')
    await eventually(async () => (await status(running.id)) === 'failed')
    expect((await at().responses.retrieve(running.id)).error?.message).toContain('was stopped')
    const events: string[] = []
    for await (const { type } of await at().responses.retrieve(running.id, { stream: true })) events.push(type)
    expect([events[0], events.at(-1)]).toEqual(['response.created', 'response.failed'])
    const [survived, inForeground, inBackground, ...others] = await key.settled()
    expect([survived?.outcome, survived?.cost_usd, others]).toEqual(['completed', '0.000019', []])
    const { outcome, cost_usd } = inForeground ?? {}
    expect(inBackground).toMatchObject({ outcome: 'reaped', cost_usd: '0.00' })
    expect(inBackground).toMatchObject({ outcome, cost_usd })
    expect(gated.asked.filter(({ text }) => text.includes('killed'))).toHaveLength(2)
    expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  } finally {
    await gateway.stop()
  }
})
