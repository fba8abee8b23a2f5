// Streams with the image tool: what the client gets as it comes, and what it costs, over an upstream that follows a script.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { audit, newKey, type Row } from '../support/gateway/accounts.ts'
import { caughtUp } from '../support/gateway/caught-up.ts'
import { type Gateway, startGateway } from '../support/gateway/gateway.ts'
import {
  type Behaviour,
  chunk,
  DONE,
  event,
  finish,
  LAST_CHUNK,
  reply,
  respondWith,
  role,
  stream as streamed,
  streamWithoutEnd,
  usage as usageOf,
} from '../support/upstreams/raw-upstream.ts'
import {
  calling,
  eventsOf,
  only,
  type Scripted,
  say,
  startScripted,
  usd,
  withoutHeartbeats,
} from '../support/upstreams/scripted-image-tool.ts'

let service: Scripted
let gateway: Gateway
let config = ''

beforeAll(async () => {
  service = await startScripted()
  const contact = 'console: { support_url: "https://help.example.com" }\n'
  config = `${service.config}tools: { image_generation: { model: img } }\n${contact}`
  gateway = await startGateway({ config, streamTiming: { commitAfterMs: 200, heartbeatMs: 100 } })
})
afterAll(async () => {
  await gateway.stop()
  service.upstream.stop()
})
beforeEach(() => service.reset())
afterEach(async () => {
  await eventually(async () => (await audit(gateway)).open_holds === 0)
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
})

const isChat = ({ head }: { head: string }) => head.includes('/chat/')
const called = () => service.upstream.received.filter(isChat).length
const drawn = () => service.upstream.received.length - called()

const BODY = { model: 'talker', input: 'Draw.', tools: [{ type: 'image_generation' }] }
type Options = { at?: Gateway; headers?: Record<string, string>; signal?: AbortSignal }

const post = (secret: string, more: object = {}, { at = gateway, headers = {}, signal }: Options = {}) =>
  fetch(`${at.url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...BODY, ...more }),
    ...(signal ? { signal } : {}),
  })

const postStream = (secret: string, options?: Options) => post(secret, { stream: true }, options)
/** What is read of the stream until it has this. */
async function until(reader: { read(): Promise<{ value?: Uint8Array | undefined; done: boolean }> }, wanted: string) {
  let text = ''
  while (!text.includes(wanted)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`ended without ${wanted}: ${text}`)
    text += Buffer.from(value ?? []).toString()
  }
  return text
}

test('text reaches the client while the model still writes', async () => {
  const { secret, settled } = await newKey(gateway)
  const more = Promise.withResolvers<void>()
  service.script = [
    async (socket, request) => {
      await streamWithoutEnd(role(), event('First. '))(socket, request)
      await more.promise
      const rest = [...eventsOf(calling('a')).slice(1), DONE].map(chunk)
      socket.write(Buffer.concat([...rest, Buffer.from(LAST_CHUNK)]))
    },
    say(reply()),
  ]
  const reader = ((await postStream(secret)).body as ReadableStream<Uint8Array>).getReader()
  expect(await until(reader, '"delta":"First. "')).not.toContain('image_generation_call.in_progress')
  more.resolve()
  const rest = await until(reader, 'event: response.completed')
  expect(rest).not.toContain('function_call')
  expect(rest).toContain('"delta":"there."')
  expect(await only(settled)).toMatchObject({ outcome: 'completed', cost_usd: usd(2, 1) })
})

test('the next call does not wait for the end of a connection that an upstream keeps open', async () => {
  const { secret, settled } = await newKey(gateway)
  const ofVendor = (item: object): Behaviour => {
    const usage = { input_tokens: 10, output_tokens: 20, total_tokens: 30 }
    const response = { id: 'r', object: 'response', status: 'completed', output: [item], usage }
    const events = [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ]
    return streamWithoutEnd(...events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`))
  }
  const call = { type: 'function_call', id: 'fc', call_id: 'c', name: 'image_generation', status: 'completed' }
  const content = [{ type: 'output_text', text: 'There it is.', annotations: [] }]
  const message = { type: 'message', id: 'm', role: 'assistant', status: 'completed', content }
  service.script = [ofVendor({ ...call, arguments: '{"prompt":"a","size":"64x64"}' }), ofVendor(message)]
  const text = await (await post(secret, { stream: true, model: 'writer' })).text()
  expect(text).toMatch(/image_generation_call\.completed.*There it is\..*event: response\.completed/s)
  expect(await only(settled)).toMatchObject({ outcome: 'completed', cost_usd: usd(2, 1) })
})

test('a model whose image the balance does not cover is told why, and where to get credit', async () => {
  const { secret, settled } = await newKey(gateway, '0.009')
  service.script = [say(calling('a')), say(reply())]
  await (await postStream(secret)).text()
  expect([called(), drawn()]).toEqual([2, 0])
  const told = service.upstream.received.filter(isChat).map(({ body }) => body.toString())[1]
  expect(told).toContain('does not cover the image. Contact the operator: https://help.example.com.')
  await only(settled)
})

const LONG = Array.from({ length: 400 }, () => event('words and '.repeat(100)))
test.each([
  ['the first reply', () => [streamed(role(), ...LONG, finish(), DONE)], 0],
  ['the reply after an image', () => [say(calling('a')), streamed(role(), ...LONG, finish(), DONE)], 1],
])('the balance ends %s', async (_, replies: () => Behaviour[], pictures) => {
  const credit = 0.05
  const { secret, settled } = await newKey(gateway, String(credit))
  service.script = replies()
  const text = await (await postStream(secret)).text()
  expect(text).toContain('event: response.incomplete')
  expect(text).toContain('"incomplete_details":{"reason":"max_output_tokens"}')
  expect(text.split('"delta":"words').length).toBeGreaterThan(10)
  expect(text.split('"delta":"words').length).toBeLessThan(390)
  const row = await only(settled)
  expect(row).toMatchObject({ outcome: 'stopped_by_balance' })
  expect(row.receipt?.units.images ?? 0).toBe(pictures)
  expect(Number(row.cost_usd)).toBeLessThanOrEqual(credit)
  expect(Number(row.cost_usd)).toBeGreaterThan(0.7 * credit)
})

const breaking: Behaviour = async (socket, request) => {
  await streamWithoutEnd(role(), event('Only so much'), usageOf())(socket, request)
  await Bun.sleep(50)
  socket.destroy()
}

test('a first reply that breaks off ends with an error, and what was delivered is charged', async () => {
  const { secret, settled } = await newKey(gateway)
  service.script = [breaking]
  const text = await (await postStream(secret)).text()
  expect(text).toContain('"delta":"Only so much"')
  expect(text).toMatch(/event: response\.failed.*event: error/s)
  expect(await only(settled)).toMatchObject({ outcome: 'cut', cost_usd: usd(1, 0) })
})

test('one that breaks off after an image: the response is incomplete, and a repeated request gets the same', async () => {
  const { secret, settled } = await newKey(gateway)
  service.script = [say(calling('a')), breaking]
  const headers = { 'idempotency-key': 'broken' }
  const text = withoutHeartbeats(await (await postStream(secret, { headers })).text())
  expect(text).toMatch(/Only so much.*event: response\.incomplete/s)
  expect(text).not.toContain('event: error')
  expect(await only(settled)).toMatchObject({ outcome: 'incomplete', cost_usd: usd(2, 1) })
  expect(await (await postStream(secret, { headers })).text()).toBe(text)
})

test('a call that breaks off after an image does not look complete', async () => {
  const { secret, settled } = await newKey(gateway)
  const tide = { index: 0, id: 'c', type: 'function', function: { name: 'tide', arguments: '{"port":"Co' } }
  const begun = event({ choices: [{ index: 0, delta: { tool_calls: [tide] }, finish_reason: null }] })
  service.script = [say(calling('a')), streamed(role(), begun)]
  const tools = [...BODY.tools, { type: 'function', name: 'tide', parameters: { type: 'object' } }]
  const text = await (await post(secret, { stream: true, tools })).text()
  expect(text).toContain('event: response.function_call_arguments.delta')
  expect(text).not.toContain('event: response.function_call_arguments.done')
  expect(text).toMatch(/"name":"tide"[^}]*"status":"incomplete".*event: response\.incomplete/s)
  expect(await only(settled)).toMatchObject({ outcome: 'incomplete' })
})

test.each([false, true])('a failed second call leaves the idempotency key; streamed: %p', async (stream) => {
  const { secret, settled } = await newKey(gateway)
  service.script = [say(calling('a')), respondWith({ error: { message: 'Broken.' } }, 500)]
  const headers = { 'idempotency-key': `second-${stream}` }
  const text = withoutHeartbeats(await (await post(secret, { stream }, { headers })).text())
  expect(text).toContain(service.png)
  expect(await (await post(secret, { stream }, { headers })).text()).toBe(text)
  expect(await only(settled)).toMatchObject({ outcome: 'incomplete', cost_usd: usd(1, 1) })
})

test('a first reply that fails before any output is a status, and costs nothing', async () => {
  const { secret, settled } = await newKey(gateway)
  const error = `data: ${JSON.stringify({ error: { message: 'Too long.', type: 'invalid_request_error', code: 'context_length_exceeded' } })}\n\n`
  service.script = [streamed(role(), error)]
  expect((await postStream(secret)).status).toBe(400)
  expect(await only(settled)).toMatchObject({ cost_usd: usd(0, 0) })
})

test.each([
  ['the first reply', [] as Behaviour[], usd(1, 0)],
  ['the reply after an image', [say(calling('a'))], usd(2, 1)],
])('%s fails before any output: another upstream is called', async (_, before, expected) => {
  const { secret, settled } = await newKey(gateway)
  const error = { message: 'Too busy.', type: 'overloaded_error', code: 503 }
  const opened = event({ choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] })
  service.script = [...before, streamed(opened, `data: ${JSON.stringify({ error })}\n\n`), say(reply())]
  const text = await (await post(secret, { stream: true, model: 'spare' })).text()
  expect(text).toContain('"status":"completed"')
  expect(text).toMatch(/"delta":"Hello ".*"delta":"there\."/s)
  const numbers = [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number))
  expect(numbers).toEqual(numbers.map((_, index) => index))
  expect(called()).toBe(before.length + 2)
  expect(await only(settled)).toMatchObject({ outcome: 'completed', cost_usd: expected })
})

test('a limit on tokens per minute counts all of them, and ends none that is within it', async () => {
  const { secret, settled } = await newKey(gateway, '10', { tpm: '2000' })
  const text = await (await postStream(secret)).text()
  expect(text).toContain('event: response.completed')
  expect(text).toContain('"total_tokens":60')
  expect(await only(settled)).toMatchObject({ outcome: 'completed', cost_usd: usd(2, 1) })
})

test('after a crash within a long reply, what the hold was extended for is charged', async () => {
  const crashing = await startGateway({ config })
  const { secret, email } = await newKey(crashing, '0.5')
  service.script = [say(calling('a')), streamWithoutEnd(role(), ...LONG.slice(0, 200))]
  const response = await postStream(secret, { at: crashing })
  let text = ''
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  while (text.split('"delta":"words').length < 190) text += await until(reader, '"delta":"words')
  await crashing.kill()
  const next = await startGateway({ home: crashing.home })
  const usage = () => next.command<Row[]>('usage', '--account', email)
  await eventually(async () => (await usage())[0]?.outcome !== 'running')
  const [row] = await usage()
  // About 50,000 tokens were delivered.
  expect(Number(row?.cost_usd)).toBeGreaterThan(0.01 + 0.1)
  expect(Number(row?.cost_usd)).toBeLessThan(0.01 + 0.25)
  expect(await audit(next)).toMatchObject({ ok: true, open_holds: 0 })
  await next.stop()
})

test.each([
  ['without a key: what came is charged, and no image is made', {}, 0],
  ['with a key: the response is completed for the next request', { 'idempotency-key': 'left' }, 1],
])('a disconnect while the model writes, %s', async (_, headers: Record<string, string>, pictures) => {
  const { secret, settled } = await newKey(gateway)
  const more = Promise.withResolvers<void>()
  service.script = [
    async (socket, request) => {
      await streamWithoutEnd(role(), event('First. '))(socket, request)
      await more.promise
      const rest = [...eventsOf(calling('a')).slice(1), DONE].map(chunk)
      socket.write(Buffer.concat([...rest, Buffer.from(LAST_CHUNK)]))
    },
    say(reply()),
  ]
  const leaving = new AbortController()
  const response = await postStream(secret, { headers, signal: leaving.signal })
  await until((response.body as ReadableStream<Uint8Array>).getReader(), '"delta":"First. "')
  leaving.abort()
  await caughtUp(gateway)
  more.resolve()
  const expected = { outcome: 'client_disconnected', cost_usd: usd(1 + pictures, pictures) }
  expect(await only(settled)).toMatchObject(expected)
  expect(drawn()).toBe(pictures)
  if (pictures === 0) return
  const again = await (await postStream(secret, { headers })).text()
  expect(again).toMatch(/"delta":"First\. ".*event: response\.completed/s)
  expect(again).toContain(service.png)
  expect(await only(settled)).toMatchObject(expected)
})
