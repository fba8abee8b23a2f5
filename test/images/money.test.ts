// What image requests cost, whatever the upstream does: n are held, delivered ones are charged, failures are free.
import { describe, expect, test } from 'bun:test'
import { eventually } from '../support/eventually.ts'
import { newKey } from '../support/gateway/accounts.ts'
import { startImageGateway } from '../support/gateway/image-gateway.ts'
import { operate } from '../support/gateway/operate.ts'
import { requestReceived } from '../support/requests/client.ts'
import { eventsIn, generate } from '../support/requests/images.ts'
import {
  completed,
  cutAfter,
  cutReply,
  DETAILS,
  errorEvent,
  partial,
  respondAsRequested,
  respondWithImages,
  streamSteps,
  USAGE,
} from '../support/upstreams/image-replies.ts'
import {
  type Behaviour,
  respondWith,
  respondWithError,
  stream,
  streamWithoutEnd,
} from '../support/upstreams/raw-upstream.ts'

const { gateway, first, second } = await startImageGateway()
const REQUEST = { model: 'two', prompt: 'a cat' }

/** Sends the request with a new key; the row of its ledger, and how often the upstreams were called. */
async function outcomeOf(behaviour: Behaviour, fields: object = {}, headers: Record<string, string> = {}) {
  const key = await newKey(gateway)
  first.behave(behaviour)
  second.behave(respondAsRequested)
  const before = [first.received.length, second.received.length] as const
  const response = await generate(gateway.url, key.secret, { ...REQUEST, ...fields }, { headers })
  const text = await response.text()
  const rows = await key.settled()
  const { balance_usd, held_usd } = await key.account()
  expect([rows.length, held_usd]).toEqual([1, '0.00'])
  expect(Number(balance_usd)).toBeCloseTo(10 - Number(rows[0]?.cost_usd), 9)
  return {
    status: response.status,
    warnings: response.headers.get('x-trivium-warnings'),
    text,
    row: rows[0],
    calls: [first.received.length - before[0], second.received.length - before[1]],
  }
}

const dataIn = (text: string): unknown[] => (JSON.parse(text) as { data: unknown[] }).data

describe('as many are charged as were delivered', () => {
  test.each<[string, number, Behaviour, delivered: number, cost: string]>([
    ['one of one', 1, respondWithImages(1), 1, '0.02'],
    ['three of three', 3, respondWithImages(3), 3, '0.06'],
    ['two of three', 3, respondWithImages(2), 2, '0.04'],
    ['five of three', 3, respondWithImages(5), 3, '0.06'],
  ])('%s', async (_, n, behaviour, delivered, cost) => {
    const { status, warnings, text, row, calls } = await outcomeOf(behaviour, { n })
    expect([status, dataIn(text).length, calls]).toEqual([200, delivered, [1, 0]])
    const warning = delivered < n ? 'n;partial' : null
    expect([warnings, row?.receipt?.warnings]).toEqual([warning, warning === null ? undefined : [warning]])
    expect(row).toMatchObject({ outcome: 'completed', cost_usd: cost, receipt: { units: { images: delivered } } })
  })

  test.each<[string, number, string[], delivered: number, cost: string]>([
    ['one of one, streamed', 1, [partial(), completed()], 1, '0.02'],
    ['two of two, streamed', 2, [completed(), completed()], 2, '0.04'],
    ['one of two, streamed', 2, [partial(), completed()], 1, '0.02'],
    ['one of two, streamed without a partial image', 2, [completed()], 1, '0.02'],
    ['three of two, streamed', 2, [completed(), completed(), completed()], 2, '0.04'],
  ])('%s', async (_, n, events, delivered, cost) => {
    const { status, text, row, calls, warnings } = await outcomeOf(stream(...events), {
      n,
      stream: true,
      partial_images: 1,
    })
    // Where nothing was sent before the end, the header can still say it.
    const isSentLate = delivered < n && !events.includes(partial())
    expect(warnings).toBe(isSentLate ? 'n;partial' : null)
    const types = eventsIn(text).map(({ type }) => type)
    expect(types.filter((type) => type === 'image_generation.completed').length).toBe(delivered)
    expect([status, calls]).toEqual([200, [1, 0]])
    expect(row).toMatchObject({ outcome: 'completed', cost_usd: cost })
    expect(row?.receipt?.warnings).toEqual(delivered < n ? ['n;partial'] : undefined)
  })

  test('none, unstreamed and streamed: an error, and free', async () => {
    for (const [behaviour, isStream] of [
      [respondWith({ created: 7, data: [] }), false],
      [stream(), true],
    ] as const) {
      const { status, row, calls } = await outcomeOf(behaviour, { stream: isStream })
      expect([status, row?.cost_usd, calls]).toEqual([502, '0.00', [1, 0]])
    }
  })

  test('what was completed before an error or a cut is charged', async () => {
    for (const behaviour of [stream(completed(), errorEvent()), cutAfter(completed(), partial())]) {
      const { status, text, row, calls } = await outcomeOf(behaviour, { n: 2, stream: true })
      expect(eventsIn(text).filter(({ type }) => type === 'image_generation.completed').length).toBe(1)
      expect([status, row?.cost_usd, row?.receipt?.warnings, calls]).toEqual([200, '0.02', ['n;partial'], [1, 0]])
    }
  })
})

describe('an error within a stream keeps the words of the vendor', () => {
  const failing = (error: object) => stream(partial(), `event: error\ndata: ${JSON.stringify({ error })}\n\n`)
  test.each<[string, object, expected: object]>([
    [
      'a failure of the service',
      { message: 'The image could not be rendered.', type: 'image_generation_server_error', code: 'render_failed' },
      { message: 'The image could not be rendered.', code: 'render_failed' },
    ],
    [
      'a mistake of the caller',
      { message: 'size is odd.', type: 'image_generation_user_error', code: 'odd_size', param: 'size' },
      { message: 'size is odd.', code: 'odd_size', param: 'size', type: 'invalid_request_error' },
    ],
    [
      'moderation',
      { message: 'No.', type: 'image_generation_user_error', code: 'moderation_blocked' },
      { message: 'No.', code: 'moderation_blocked' },
    ],
    // What it says about the operator's key is not for callers.
    ['the key', { message: 'Key sk-1 expired.', code: 'invalid_api_key' }, { code: 'upstream_auth_error' }],
  ])('%s', async (_, error, expected) => {
    const { status, text, row } = await outcomeOf(failing(error), { stream: true, partial_images: 1 })
    expect([status, row?.cost_usd]).toEqual([200, '0.00'])
    expect(eventsIn(text).at(-1)).toMatchObject({ error: expected } as object)
    expect(text).not.toContain('sk-1')
  })
})

test('of fewer images than requested the last one, too, leaves after settlement', async () => {
  const key = await newKey(gateway)
  const steps = streamSteps(completed(), partial())
  first.behave(steps.behaviour)
  const before = first.received.length
  const pending = generate(gateway.url, key.secret, { ...REQUEST, n: 3, stream: true, partial_images: 1 })
  await eventually(() => first.received.length > before)
  steps.next()
  steps.next()
  const response = await pending
  let text = ''
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece).toString()
    if (text.includes('.completed"')) expect((await key.rows())[0]?.outcome).toBe('completed')
  }
  expect(eventsIn(text).map(({ type }) => type)).toEqual([
    'image_generation.partial_image',
    'image_generation.completed',
  ])
  expect(await key.settled()).toMatchObject([{ cost_usd: '0.02' }])
})

describe('a failed upstream is free, and another is called only if nothing can have been billed', () => {
  test.each<[string, Behaviour, status: number, calls: [number, number]]>([
    ['429', respondWithError(429), 200, [1, 1]],
    ['503', respondWithError(503), 200, [1, 1]],
    ['401', respondWithError(401), 200, [1, 1]],
    ['500', respondWithError(500), 502, [1, 0]],
    ['400', respondWithError(400), 400, [1, 0]],
    ['cut in the middle of the reply', cutReply, 502, [1, 0]],
    ['no JSON', respondWith('hello'), 502, [1, 0]],
  ])('%s', async (_, behaviour, status, calls) => {
    for (const isStream of [false, true]) {
      const outcome = await outcomeOf(behaviour, { stream: isStream })
      expect([outcome.status, outcome.calls]).toEqual([status, calls])
      expect(outcome.row?.cost_usd).toBe(status === 200 ? '0.02' : '0.00')
    }
  })

  test.each<[string, Behaviour, calls: [number, number]]>([
    ['an error before any image', stream(errorEvent()), [1, 1]],
    ['an error after a partial image', stream(partial(), errorEvent()), [1, 0]],
    ['a cut after a partial image', cutAfter(partial()), [1, 0]],
    ['a cut in the middle of an event', cutAfter(partial(), completed().slice(0, 200)), [1, 0]],
  ])('streamed: %s', async (_, behaviour, calls) => {
    const outcome = await outcomeOf(behaviour, { stream: true, partial_images: 1 })
    const isServed = calls[1] === 1
    expect(outcome.calls).toEqual(calls)
    expect(outcome.row?.cost_usd).toBe(isServed ? '0.02' : '0.00')
    const types = eventsIn(outcome.text).map(({ type, error }) => (error ? 'error' : type))
    expect(types.at(-1)).toBe(isServed ? 'image_generation.completed' : 'error')
  })

  test('cut before the headers', async () => {
    const { status, row, calls } = await outcomeOf((socket) => void socket.destroy())
    // Sent again only if the connection was kept from before, and closed at this moment.
    expect([status, row?.cost_usd, (calls[0] ?? 0) <= 2, calls[1]]).toEqual([502, '0.00', true, 0])
  })

  test('no connection: the next upstream serves it', async () => {
    const { status, row, calls } = await outcomeOf(respondAsRequested, { model: 'late' })
    expect([status, row?.cost_usd, calls]).toEqual([200, '0.02', [0, 1]])
  })

  test('silence, unstreamed and streamed: a timeout', async () => {
    for (const isStream of [false, true]) {
      const { status, row, calls } = await outcomeOf(() => {}, { model: 'hasty', stream: isStream })
      expect([status, row?.outcome, row?.cost_usd, calls]).toEqual([504, 'timeout', '0.00', [1, 0]])
    }
  })
})

test('silence after a partial image: a timeout in the stream, and free', async () => {
  const { text, row, calls } = await outcomeOf(streamWithoutEnd(partial()), { model: 'hasty', stream: true })
  expect(eventsIn(text).at(-1)?.error?.code).toBe('upstream_timeout')
  expect([row?.outcome, row?.cost_usd, calls]).toEqual(['timeout', '0.00', [1, 0]])
})

test('silence after a completed image: that one is delivered and charged', async () => {
  const fields = { model: 'hasty', stream: true, n: 2 }
  const { text, row, calls } = await outcomeOf(streamWithoutEnd(completed()), fields)
  expect(eventsIn(text).map(({ type }) => type)).toEqual(['image_generation.completed'])
  expect([row?.cost_usd, row?.receipt?.warnings, calls]).toEqual(['0.02', ['n;partial'], [1, 0]])
})

describe('prices', () => {
  test.each<[string, object, object, held: string, cost: string]>([
    [
      'the requested size and quality',
      { size: '1024x1024', quality: 'high' },
      { size: '1024x1024', quality: 'high' },
      '0.17',
      '0.17',
    ],
    ['auto, charged by the reported size', { size: 'auto' }, DETAILS, '0.17', '0.02'],
    ['auto, charged by the dimensions of the image', { size: 'auto', quality: 'auto' }, {}, '0.17', '0.02'],
    ['unknown quality: the cheapest that fits', { size: '1024x1024' }, { size: '1024x1024' }, '0.17', '0.04'],
    ['a larger one than was requested', { size: '512x512' }, { size: '640x640' }, '0.02', '0.02'],
    [
      'requested quality that is not reported',
      { size: '1024x1024', quality: 'high' },
      { size: '1024x1024' },
      '0.17',
      '0.17',
    ],
    ['a cheaper one than was requested', { size: '1024x1024', quality: 'high' }, DETAILS, '0.17', '0.02'],
  ])('%s', async (_, fields, reported, held, cost) => {
    const key = await newKey(gateway)
    const gate = Promise.withResolvers<void>()
    first.behave((socket, request) => gate.promise.then(() => respondWithImages(1, reported)(socket, request)))
    const before = first.received.length
    const response = generate(gateway.url, key.secret, { ...REQUEST, model: 'img', ...fields })
    await requestReceived(first, before)
    expect((await key.account()).held_usd).toBe(held)
    gate.resolve()
    expect((await response).status).toBe(200)
    expect(await key.settled()).toMatchObject([{ cost_usd: cost }])
  })

  test.each<[string, boolean, object | undefined, cost: string]>([
    ['by tokens', false, USAGE, '0.0325'],
    ['by tokens, streamed', true, USAGE, '0.0325'],
  ])('%s', async (_, isStream, usage, cost) => {
    const behaviour = isStream ? stream(completed({ usage })) : respondWithImages(1, { ...DETAILS, usage })
    const { status, row } = await outcomeOf(behaviour, { model: 'tok', stream: isStream })
    expect([status, row?.cost_usd]).toEqual([200, cost])
    expect(row?.receipt?.units).toEqual({ image_prompt_tokens: 100, image_output_tokens: 1_000 })
  })

  test('by tokens without usage: what such an image takes at least', async () => {
    for (const isStream of [false, true]) {
      const behaviour = isStream ? stream(completed({ usage: undefined })) : respondWithImages(1)
      const { status, row } = await outcomeOf(behaviour, { model: 'tok', stream: isStream })
      const { image_output_tokens: tokens = 0 } = row?.receipt?.units ?? {}
      expect([status, tokens > 0, Number(row?.cost_usd)]).toEqual([200, true, (tokens * 32) / 1e6])
    }
  })
})

describe('limits', () => {
  /** The status and error of a request with this key, which must not reach the upstream. */
  async function rejected(secret: string, fields: object = {}) {
    first.behave(respondAsRequested)
    const before = first.received.length
    const response = await generate(gateway.url, secret, { ...REQUEST, model: 'img', ...fields })
    const { error } = (await response.json()) as { error: { message: string; code: string } }
    expect(first.received.length).toBe(before)
    return { status: response.status, ...error, retryAfter: response.headers.get('retry-after') }
  }

  test('a balance that is too low: 402 that names what is needed; a cheaper request is served', async () => {
    const key = await newKey(gateway, '0.05')
    const { status, code, message } = await rejected(key.secret, { size: '512x512', n: 3 })
    expect([status, code]).toEqual([402, 'insufficient_balance'])
    expect(message).toContain('0.06')
    expect(await key.rows()).toEqual([])
    expect((await generate(gateway.url, key.secret, { ...REQUEST, size: '512x512', n: 2 })).status).toBe(200)
    expect((await key.account()).balance_usd).toBe('0.01')
  })

  test('a cap of the key', async () => {
    const key = await newKey(gateway, '10', { cap: '0.05' })
    const { status, code } = await rejected(key.secret, { size: '512x512', n: 3 })
    expect([status, code]).toEqual([402, 'key_quota_exceeded'])
    expect((await generate(gateway.url, key.secret, { ...REQUEST, size: '512x512' })).status).toBe(200)
  })

  test('requests per minute', async () => {
    const key = await newKey(gateway, '10', { rpm: '1' })
    first.behave(respondAsRequested)
    expect((await generate(gateway.url, key.secret, { ...REQUEST, size: '512x512' })).status).toBe(200)
    const { status, code, retryAfter } = await rejected(key.secret)
    expect([status, code, Number(retryAfter) > 0]).toEqual([429, 'rate_limit_exceeded', true])
    expect(await key.rows()).toHaveLength(1)
  })

  test('concurrent requests', async () => {
    const key = await newKey(gateway, '10', { concurrent: '1' })
    const gate = Promise.withResolvers<void>()
    first.behave((socket, request) => gate.promise.then(() => respondAsRequested(socket, request)))
    const before = first.received.length
    const running = generate(gateway.url, key.secret, { ...REQUEST, model: 'img' })
    await requestReceived(first, before)
    const other = await generate(gateway.url, key.secret, { ...REQUEST, model: 'img' })
    expect(other.status).toBe(429)
    gate.resolve()
    expect((await running).status).toBe(200)
    expect(await key.settled()).toHaveLength(1)
  })

  test('a deleted key', async () => {
    const key = await newKey(gateway)
    await operate(gateway, 'key delete', { key: key.keyId })
    await eventually(async () => (await rejected(key.secret)).status === 401)
    expect(await key.rows()).toEqual([])
  })
})
