// Clients of image requests that disconnect: the call runs to its end, is charged once, and can be had by its idempotency key.
import { describe, expect, test } from 'bun:test'
import { newKey } from '../support/gateway/accounts.ts'
import { caughtUp } from '../support/gateway/caught-up.ts'
import { ENGINES } from '../support/gateway/home.ts'
import { startImageGateway } from '../support/gateway/image-gateway.ts'
import { requestReceived } from '../support/requests/client.ts'
import { readUntil } from '../support/requests/dialect-calls.ts'
import { edit, eventsIn, formOf, generate, pngOf } from '../support/requests/images.ts'
import {
  completed,
  DETAILS,
  errorEvent,
  PNG_512,
  partial,
  respondAsRequested,
  respondWithImages,
  streamSteps,
} from '../support/upstreams/image-replies.ts'
import { respondWith, respondWithError, stream } from '../support/upstreams/raw-upstream.ts'

const REQUEST = { model: 'img', prompt: 'a cat', size: '512x512' }
let keys = 0
const newIdempotencyKey = () => ({ 'idempotency-key': `order-${++keys}` })

describe.each(ENGINES)('%s', (engine) => {
  const started = startImageGateway(engine)

  /** A client that sends a request and can disconnect. */
  async function open(fields: object, headers = newIdempotencyKey()) {
    const { gateway, first } = await started
    const key = await newKey(gateway)
    const abort = new AbortController()
    const before = first.received.length
    const body = { ...REQUEST, ...fields }
    const response = generate(gateway.url, key.secret, body, { headers, signal: abort.signal })
    response.catch(() => {})
    await requestReceived(first, before)
    const again = async () => {
      const replayed = await generate(gateway.url, key.secret, body, { headers })
      return { status: replayed.status, headers: replayed.headers, text: await replayed.text() }
    }
    const disconnect = async () => {
      abort.abort()
      await caughtUp(gateway)
    }
    return { ...key, response, disconnect, again, calls: () => first.received.length - before }
  }

  test('unstreamed, after dispatch', async () => {
    const { first } = await started
    const gate = Promise.withResolvers<void>()
    first.behave((socket, request) => gate.promise.then(() => respondWithImages(2)(socket, request)))
    const client = await open({ n: 2 })
    await client.disconnect()
    expect(await client.rows()).toMatchObject([{ outcome: 'running' }])
    gate.resolve()
    expect(await client.settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: '0.04' }])
    const { status, headers, text } = await client.again()
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(JSON.parse(text).data.length).toBe(2)
    expect([(await client.rows()).length, client.calls()]).toEqual([1, 1])
  })

  test('a response of several megabytes, and one with URLs: replayed as they were', async () => {
    const { first } = await started
    // Begins like an image, and is as large as one.
    const large = PNG_512.slice(0, 400) + 'QUFB'.repeat(1024 * 1024)
    for (const fields of [{}, { stream: true }, { response_format: 'url' }]) {
      const gate = Promise.withResolvers<void>()
      const isStream = 'stream' in fields
      const isUrl = 'response_format' in fields
      const reply = { created: 7, ...DETAILS, data: [{ b64_json: isUrl ? PNG_512 : large }] }
      const behaviour = isStream ? stream(completed({ b64_json: large })) : respondWith(reply)
      first.behave((socket, request) => gate.promise.then(() => behaviour(socket, request)))
      const client = await open(fields)
      await client.disconnect()
      gate.resolve()
      expect(await client.settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: '0.02' }])
      const { status, text } = await client.again()
      const [image] = isStream ? eventsIn(text) : JSON.parse(text).data
      expect(status).toBe(200)
      if (!isUrl) expect(image.b64_json === large).toBe(true)
      else expect((await fetch(image.url)).status).toBe(200)
      expect([(await client.rows()).length, client.calls()]).toEqual([1, 1])
    }
  })

  const PARTIALS = { stream: true, partial_images: 1, n: 2 }
  const EVENTS = [partial(), completed(), partial(1), completed()]
  test.each([
    ['before the first event', 0, undefined],
    ['after a partial image', 1, 'partial_image"'],
    ['between two images', 3, '"partial_image_index":1'],
  ])('streamed, %s', async (_, sent, seen) => {
    const { first } = await started
    const steps = streamSteps(...EVENTS)
    first.behave(steps.behaviour)
    const client = await open(PARTIALS)
    for (let step = 0; step < sent; step++) steps.next()
    if (seen !== undefined) await readUntil(await client.response, seen)
    await client.disconnect()
    for (let step = sent; step < EVENTS.length; step++) steps.next()
    expect(await client.settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: '0.04' }])
    const { status, headers, text } = await client.again()
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(eventsIn(text).map(({ type }) => type)).toEqual(Array(2).fill('image_generation.completed'))
    expect([(await client.rows()).length, client.calls()]).toEqual([1, 1])
  })

  test('streamed, and the upstream fails afterwards: what was completed is charged, nothing else', async () => {
    const { first } = await started
    for (const [events, cost] of [
      [[partial(), errorEvent()], '0.00'],
      [[completed(), errorEvent()], '0.02'],
    ] as const) {
      const steps = streamSteps(...events)
      first.behave(steps.behaviour)
      const client = await open(PARTIALS)
      await client.disconnect()
      steps.next()
      steps.next()
      expect(await client.settled()).toMatchObject([{ cost_usd: cost }])
      expect(client.calls()).toBe(1)
    }
  })

  test('unstreamed, and the upstream fails afterwards: free, and its key may be used again', async () => {
    const { first } = await started
    const gate = Promise.withResolvers<void>()
    first.behave((socket, request) => gate.promise.then(() => respondWithError(500)(socket, request)))
    const client = await open({})
    await client.disconnect()
    gate.resolve()
    expect(await client.settled()).toMatchObject([{ cost_usd: '0.00' }])
    first.behave(respondAsRequested)
    expect((await client.again()).status).toBe(200)
    const rows = await client.settled()
    expect(rows.map(({ cost_usd }) => cost_usd)).toEqual(['0.02', '0.00'])
  })

  test('before dispatch, while waiting for the upstream: free, and nothing is sent', async () => {
    const { gateway, first } = await started
    const gate = Promise.withResolvers<void>()
    first.behave((socket, request) => gate.promise.then(() => respondAsRequested(socket, request)))
    const running = await open({ model: 'single' })
    const waiting = await newKey(gateway)
    const abort = new AbortController()
    const body = { ...REQUEST, model: 'single' }
    const response = generate(gateway.url, waiting.secret, body, { signal: abort.signal })
    response.catch(() => {})
    await Bun.sleep(200)
    abort.abort()
    await caughtUp(gateway)
    gate.resolve()
    expect((await running.response).status).toBe(200)
    await running.settled()
    expect([running.calls(), await waiting.rows(), (await waiting.account()).balance_usd]).toEqual([1, [], '10.00'])
  })

  test('in the middle of an upload: free, and nothing is sent', async () => {
    const { gateway, first } = await started
    const { secret, rows } = await newKey(gateway)
    const before = first.received.length
    const abort = new AbortController()
    async function* half() {
      yield Buffer.from('--b\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n')
      yield await pngOf(64, 64)
      await new Promise((resolve) => abort.signal.addEventListener('abort', resolve))
    }
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'multipart/form-data; boundary=b' }
    const init = { method: 'POST', headers, body: half() as unknown as ReadableStream, signal: abort.signal }
    const response = fetch(`${gateway.url}/v1/images/edits`, init)
    response.catch(() => {})
    await Bun.sleep(200)
    abort.abort()
    expect([await rows(), first.received.length]).toEqual([[], before])
  })

  test('an edit after dispatch: it is replayed for the same files, and 422 for others', async () => {
    const { gateway, first } = await started
    const { secret, settled, rows } = await newKey(gateway)
    const headers = newIdempotencyKey()
    const send = async (side: number, signal?: AbortSignal) => {
      const form = formOf([
        ['image', await pngOf(side, 64)],
        ['model', 'img'],
        ['prompt', 'a hat'],
      ])
      return await edit(gateway.url, secret, form, { headers, ...(signal ? { signal } : {}) })
    }
    const gate = Promise.withResolvers<void>()
    first.behave((socket, request) => gate.promise.then(() => respondWithImages(1)(socket, request)))
    const abort = new AbortController()
    const before = first.received.length
    const response = send(64, abort.signal)
    response.catch(() => {})
    await requestReceived(first, before)
    abort.abort()
    await caughtUp(gateway)
    gate.resolve()
    expect(await settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: '0.02' }])
    const again = await send(64)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect((await send(65)).status).toBe(422)
    expect([(await rows()).length, first.received.length - before]).toEqual([1, 1])
  })

  test('one request at a time per idempotency key', async () => {
    const { first } = await started
    const gate = Promise.withResolvers<void>()
    first.behave((socket, request) => gate.promise.then(() => respondAsRequested(socket, request)))
    const client = await open({ stream: true })
    expect((await client.again()).status).toBe(409)
    gate.resolve()
    const text = await (await client.response).text()
    expect(eventsIn(text).map(({ type }) => type)).toEqual(['image_generation.completed'])
    expect(eventsIn((await client.again()).text)).toEqual(eventsIn(text))
    expect(await client.settled()).toMatchObject([{ outcome: 'completed', cost_usd: '0.02' }])
  })

  test('delivered images are charged, also fewer than requested; failures are free', async () => {
    const { gateway, first } = await started
    for (const [behaviour, cost] of [
      [respondWithImages(2), '0.04'],
      [respondWithImages(1), '0.02'],
      [respondWithError(500), '0.00'],
    ] as const) {
      const { secret, settled } = await newKey(gateway)
      first.behave(behaviour)
      await generate(gateway.url, secret, { ...REQUEST, n: 2 })
      expect(await settled()).toMatchObject([{ cost_usd: cost }])
    }
  })
})
