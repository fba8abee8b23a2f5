// The fault switches in the other dialects: the same table for each, with what differs between them beside it.
import { afterAll, describe, expect, test } from 'bun:test'
import { gunzipSync } from 'node:zlib'
import { dataOf, type Wire, wireTo } from '../../test-support/client.ts'
import { startSandboxServer } from '../server.ts'

const server = startSandboxServer({ host: '127.0.0.1', port: 0, faults: true, pace: 0 })
afterAll(() => server.stop())

type Json = Record<string, unknown>

/** The names of the usage fields, the end of a stream, and the form of an error. */
type Dialect = {
  name: string
  request(model: string, stream: boolean): [path: string, body: Json]
  /** The usage that a reader would take from these events, or from the one body. */
  usage(events: readonly Json[]): Json | undefined
  figures: string[]
  finish(events: readonly Json[]): unknown
  start(event: Json): boolean
  text(events: readonly Json[]): string
  error: Json
}

const at = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(
    (inner, step) => (inner === null || inner === undefined ? undefined : Object(inner)[step]),
    value,
  )

const HEADERS = { authorization: 'Bearer test', 'anthropic-version': '2023-06-01' }
const post = (path: string, body: Json) => wireTo(server.port, path, body, HEADERS)
const send = (dialect: Dialect, model: string, stream: boolean) => post(...dialect.request(model, stream))

const DIALECTS: Dialect[] = [
  {
    name: 'responses',
    request: (model, stream) => ['/v1/responses', { model, stream, input: 'Hello there' }],
    usage: (events) =>
      (at(events.at(-1), 'response', 'usage') as Json | undefined) ?? (at(events.at(-1), 'usage') as Json),
    figures: ['input_tokens', 'output_tokens', 'total_tokens'],
    finish: (events) => at(events.at(-1), 'response', 'status') ?? at(events.at(-1), 'status'),
    start: (event) => event.type === 'response.created',
    text: (events) => events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join(''),
    error: { error: { type: 'server_error', code: 'server_error' } },
  },
  {
    name: 'messages',
    request: (model, stream) => [
      '/v1/messages',
      { model, stream, max_tokens: 400, messages: [{ role: 'user', content: 'Hello there' }] },
    ],
    usage: (events) => events.map((event) => at(event, 'usage') as Json | undefined).findLast(Boolean),
    figures: ['input_tokens', 'output_tokens'],
    finish: (events) => events.map((event) => at(event, 'delta', 'stop_reason') ?? event.stop_reason).findLast(Boolean),
    start: (event) => event.type === 'message_start',
    text: (events) => events.map((event) => at(event, 'delta', 'text') ?? '').join(''),
    error: { type: 'error', error: { type: 'api_error' } },
  },
  ...(['sse', 'json'] as const).map(
    (alt): Dialect => ({
      name: `generate-content ${alt}`,
      request: (model, stream) => [
        `/v1beta/models/${model}:${stream ? 'streamGenerateContent' : 'generateContent'}?alt=${alt}`,
        { contents: [{ parts: [{ text: 'Hello there' }] }] },
      ],
      usage: (events) => events.at(-1)?.usageMetadata as Json | undefined,
      figures: ['promptTokenCount', 'candidatesTokenCount', 'totalTokenCount'],
      finish: (events) => at(events.at(-1), 'candidates', 0, 'finishReason'),
      start: (event) => at(event, 'candidates', 0, 'content', 'parts', 0, 'text') === '' && !event.usageMetadata,
      text: (events) => events.map((event) => at(event, 'candidates', 0, 'content', 'parts', 0, 'text') ?? '').join(''),
      error: { error: { code: 500, status: 'INTERNAL' } },
    }),
  ),
]

const isArray = ({ headers }: Wire) => headers.get('content-type')?.startsWith('application/json')

/** The events of a stream that may lack its end. */
function eventsOf(answer: Wire, text = answer.body): string[] {
  return isArray(answer) ? text.replace(/^\[/, '').replace(/\]$/, '').split(',\r\n') : dataOf(text)
}
const jsonOf = (answer: Wire): Json[] => eventsOf(answer).map((data): Json => JSON.parse(data))
const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe.each(DIALECTS.map((dialect) => [dialect.name, dialect] as const))('%s', (name, dialect) => {
  const stream = (fault: string) => send(dialect, `sandbox-text:${fault}`, true)
  const single = (fault: string) => send(dialect, `sandbox-text:${fault}`, false)
  const figures = (events: readonly Json[]) => dialect.figures.map((figure) => dialect.usage(events)?.[figure])
  const array = name.endsWith('json')

  test('without a fault, the stream is complete', async () => {
    const events = jsonOf(await send(dialect, 'sandbox-text', true))
    expect(dialect.text(events)).toStartWith('[sandbox] You said: Hello there\n')
    expect([dialect.finish(events), figures(events).every((figure) => Number(figure) > 0)]).toEqual([
      expect.stringMatching(/completed|end_turn|STOP/),
      true,
    ])
  })

  test.each([400, 429, 503, 529])('status=%d', async (status) => {
    for (const answer of [await stream(`status=${status}`), await single(`status=${status}`)]) {
      expect([answer.status, answer.headers.get('x-sandbox')]).toEqual([status, 'true'])
      expect(answer.headers.get('retry-after')).toBe(status === 400 ? null : '1')
      expect(Object.keys(JSON.parse(answer.body))).toEqual(
        Object.keys(dialect.error).concat(name === 'messages' ? ['request_id'] : []),
      )
    }
  })

  test('cut', async () => {
    const [streamed, body] = [await stream('cut=3'), await single('cut')]
    expect([streamed.status, streamed.ending, eventsOf(streamed).length]).toEqual([200, 'destroyed', 3])
    expect([body.ending, body.body.length]).toEqual(['destroyed', 40])
  })

  test('end', async () => {
    const [streamed, body] = [await stream('end=3'), await single('end=20')]
    expect([streamed.ending, eventsOf(streamed).length, streamed.body.endsWith(']')]).toEqual(['complete', 3, false])
    expect([body.ending, body.body.length]).toEqual(['complete', 20])
  })

  test('stall', async () => {
    const leave = new AbortController()
    const [path, body] = dialect.request('sandbox-text:stall=2', true)
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: HEADERS,
      signal: leave.signal,
      body: JSON.stringify(body),
    })
    const reader = answer.body?.getReader()
    let seen = ''
    while (seen.split(array ? '{"candidates"' : 'data: ').length < 3) {
      const { value, done } = (await reader?.read()) ?? { done: true }
      expect(done).toBe(false)
      seen += new TextDecoder().decode(value)
    }
    const next = reader?.read().then(
      () => 'more',
      () => 'left',
    )
    expect(await Promise.race([next, Bun.sleep(30).then(() => 'open')])).toBe('open')
    leave.abort()
    expect(await next).toBe('left')
  })

  test('garbage', async () => {
    const [streamed, body] = [await stream('garbage=3'), await single('garbage')]
    expect(eventsOf(streamed).map(isJson).indexOf(false)).toBe(3)
    const rest = eventsOf(streamed)
      .filter(isJson)
      .map((data): Json => JSON.parse(data))
    expect(dialect.text(rest)).toContain('Hello there')
    expect([body.ending, isJson(body.body)]).toEqual(['complete', false])
  })

  test('error-event', async () => {
    const [streamed, body] = [await stream('error-event=2'), await single('error-event')]
    expect([streamed.ending, jsonOf(streamed).length]).toEqual(['complete', 3])
    const { error, type } = dialect.error
    expect(jsonOf(streamed)[2]).toMatchObject(
      name === 'responses' ? { type: 'error', sequence_number: 2, error } : dialect.error,
    )
    if (!array && type) expect(streamed.body).toContain('event: error\n')
    expect(JSON.parse(body.body)).toMatchObject(dialect.error)
    if (array) expect(isJson(streamed.body)).toBe(true)
  })

  test('huge-line', async () => {
    const [streamed, body] = [await stream('huge-line=2'), await single('huge-line=2')]
    expect(eventsOf(streamed)[1]?.length).toBeGreaterThan(2 * 1024 * 1024)
    expect(jsonOf(streamed).length).toBeGreaterThan(4)
    expect(JSON.parse(body.body).padding.length).toBe(2 * 1024 * 1024)
  })

  test.each<[string, (figure: unknown) => boolean]>([
    ['no-usage', (figure) => figure === undefined],
    ['zero-usage', (figure) => figure === 0],
    ['negative-usage', (figure) => Number(figure) < 0],
    ['huge-usage', (figure) => Number(figure) > Number.MAX_SAFE_INTEGER],
    ['string-usage', (figure) => typeof figure === 'string'],
  ])('%s', async (fault, fits) => {
    expect(figures(jsonOf(await stream(fault))).every(fits)).toBe(true)
    expect(figures([JSON.parse((await single(fault)).body)]).every(fits)).toBe(true)
  })

  test('no-finish', async () => {
    const bare = (word: unknown) => word === undefined || word === null || word === 'in_progress'
    expect(bare(dialect.finish(jsonOf(await stream('no-finish'))))).toBe(true)
    expect(bare(dialect.finish([JSON.parse((await single('no-finish')).body)]))).toBe(true)
  })

  test('duplicate-start', async () => {
    expect(jsonOf(await stream('duplicate-start')).filter(dialect.start).length).toBe(2)
  })

  test('twice', async () => {
    const events = jsonOf(await stream('twice'))
    const half = dialect.text(events.slice(0, events.length / 2))
    expect(dialect.text(events)).toBe(half + half)
  })

  test('comments, no-space and crlf change only events', async () => {
    const answer = await stream('comments,no-space,crlf')
    const first =
      name === 'messages'
        ? 'event:message_start\r\ndata:{'
        : name === 'responses'
          ? 'event:response.created\r\ndata:{'
          : 'data:{'
    expect(answer.body.startsWith(array ? '[{' : `: keep-alive\r\n\r\n${first}`)).toBe(true)
  })

  test('split-utf8 and drip', async () => {
    const split = await stream('split-utf8')
    expect(split.chunks.filter((chunk) => chunk.toString().includes('\ufffd')).length).toBeGreaterThan(4)
    expect(dialect.text(jsonOf(split))).toContain('(北京 🙂 é)')
    const drip = await stream('drip,end=1')
    expect(new Set(drip.chunks.map((chunk) => chunk.length))).toEqual(new Set([1]))
  })

  test('html, empty, wrong-type, gzip, redirect', async () => {
    expect((await stream('html')).headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect((await stream('empty')).body).toBe('')
    expect((await stream('wrong-type')).headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect((await stream('redirect')).status).toBe(302)
    const packed = await stream('gzip')
    const text = gunzipSync(Buffer.concat(packed.chunks)).toString()
    expect(eventsOf(packed, text).every(isJson)).toBe(true)
  })

  test('the header selects faults, and an unknown fault is a 400 in the dialect', async () => {
    const answer = await stream('nonsense')
    expect([answer.status, Object.keys(JSON.parse(answer.body))[0]]).toEqual([400, Object.keys(dialect.error)[0]])
    expect(answer.body).toContain("Unknown fault 'nonsense'")
  })
})

const TOOL_PROMPT = `call f with {"a":"${'x'.repeat(60)}"} and g with {"b":"${'y'.repeat(60)}"}`

test('responses: interleave mixes the arguments of parallel calls', async () => {
  const tools = ['f', 'g'].map((name) => ({ type: 'function', name }))
  const model = 'sandbox-text:interleave'
  const answer = await post('/v1/responses', { model, stream: true, input: TOOL_PROMPT, tools })
  const deltas = jsonOf(answer).filter(({ type }) => type === 'response.function_call_arguments.delta')
  expect(deltas.map(({ output_index }) => output_index).slice(0, 4)).toEqual([0, 1, 0, 1])
})

const named = (name: string) => DIALECTS.find((dialect) => dialect.name === name) ?? expect.unreachable()

test('messages: usage-every-chunk adds a message_delta to each chunk', async () => {
  const events = jsonOf(await send(named('messages'), 'sandbox-text:usage-every-chunk', true))
  const deltas = events.filter(({ type }) => type === 'message_delta')
  const outputs = deltas.map(({ usage }) => Number(at(usage, 'output_tokens')))
  expect(outputs).toEqual([...outputs].sort((a, b) => a - b))
  expect(outputs.length).toBe(events.filter(({ type }) => type === 'content_block_delta').length + 1)
})

test('generate-content: usage and finish on every chunk', async () => {
  const model = 'sandbox-text:usage-every-chunk,finish-every-chunk'
  const events = jsonOf(await send(named('generate-content sse'), model, true))
  const complete = (event: Json) => event.usageMetadata && at(event, 'candidates', 0, 'finishReason') === 'STOP'
  expect(events.every(complete)).toBe(true)
})
