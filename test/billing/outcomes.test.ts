// Outcomes of requests and their cost: clients that disconnect, and clients that stay connected but do not read.
import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { eventually } from '../support/eventually.ts'
import { cost, newKey } from '../support/gateway/accounts.ts'
import { caughtUp } from '../support/gateway/caught-up.ts'
import { startGatewayOverUpstream } from '../support/gateway/gateway-over-upstream.ts'
import { chatBody, openClient, requestReceived } from '../support/requests/client.ts'
import {
  chunk,
  DONE,
  event,
  finish,
  head,
  LAST_CHUNK,
  reply,
  respondWith,
  role,
  STREAM_HEAD,
  startUpstream,
  stream,
  streamWithoutEnd,
  type Upstream,
  usage,
} from '../support/upstreams/raw-upstream.ts'

const billing = await startUpstream()
const { upstream, gateway } = await startGatewayOverUpstream({
  others: { billing: { url: billing.url, more: ', bills_on_abort: input' } },
  streamTiming: { usageWaitMs: 1_000 },
})
afterAll(() => billing.stop())

describe('the client disconnects', () => {
  test.each([
    ['before the headers, streamed', true],
    ['before the headers, unstreamed', false],
  ])('%s: free, and the upstream call is cancelled at once', async (_, streamed) => {
    const { secret, settled } = await newKey(gateway)
    upstream.behave(() => {})
    const before = upstream.received.length
    const client = await openClient(gateway.url, secret, chatBody('renamed', streamed))
    await requestReceived(upstream, before)
    client.disconnect()
    await upstream.connectionClosed()
    expect(await settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: '0.00' }])
  })

  test('after the headers, before any output: free, unless the upstream bills the input', async () => {
    for (const [model, place] of [
      ['renamed', upstream],
      ['billing', billing],
    ] as const) {
      const { secret, settled } = await newKey(gateway)
      place.behave(streamWithoutEnd(role()))
      const before = place.received.length
      const client = await openClient(gateway.url, secret, chatBody(model, true))
      await requestReceived(place, before)
      await caughtUp(gateway)
      client.disconnect()
      await place.connectionClosed()
      const [row] = await settled()
      expect(row?.outcome).toBe('client_disconnected')
      if (model === 'renamed') expect(row?.cost_usd).toBe('0.00')
      else {
        const { input = 0, output } = row?.receipt?.units ?? {}
        expect(input).toBeGreaterThan(0)
        expect([output, row?.cost_usd]).toEqual([0, cost(input, 0)])
      }
    }
  })

  /** Streams 400 bytes, and sends `later` once the client has disconnected. */
  const inMidStream = async (place: Upstream, model: string, later: string) => {
    const { secret, settled } = await newKey(gateway)
    let goOn = () => {}
    place.behave((socket) => {
      socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(role() + event('a'.repeat(400)))]))
      goOn = () => void socket.write(chunk(later))
    })
    const client = await openClient(gateway.url, secret, chatBody(model, true))
    await client.readUntil('aaa')
    client.disconnect()
    await caughtUp(gateway)
    goOn()
    const [row] = await settled()
    const { input = 0, output = 0 } = row?.receipt?.units ?? {}
    expect([row?.outcome, input > 0, row?.cost_usd]).toEqual(['client_disconnected', true, cost(input, output)])
    return { output, receipt: row?.receipt }
  }
  const allClosed = (place: Upstream) => eventually(() => place.connections().open === 0)

  test('in mid-stream: charged for delivered output and its reasoning, and for nothing later', async () => {
    // One visible token per four bytes, and nine reasoning tokens for each.
    upstream.behave(
      stream(
        ...[role(), event('b'.repeat(4_000)), finish()],
        ...[
          usage({
            prompt_tokens: 5,
            completion_tokens: 10_000,
            completion_tokens_details: { reasoning_tokens: 9_000 },
          }),
        ],
        DONE,
      ),
    )
    const { secret } = await newKey(gateway)
    await (await openClient(gateway.url, secret, chatBody('renamed', true))).response.then((response) =>
      response.text(),
    )
    const rest = event('c'.repeat(40_000))
    const [known, unknown] = await Promise.all([
      inMidStream(upstream, 'renamed', rest),
      inMidStream(billing, 'billing', rest),
    ])
    expect(known.receipt?.counted).toContain('usual reasoning')
    expect(known.output).toBeWithin(600, 1_500)
    expect(unknown.receipt?.counted).toBe('usage was missing')
    expect(unknown.output).toBeWithin(50, 200)
    await allClosed(upstream)
    await allClosed(billing)
  })

  test('in mid-stream, and the usage arrives soon: charged as reported', async () => {
    const figures = {
      prompt_tokens: 10,
      completion_tokens: 5_000,
      completion_tokens_details: { reasoning_tokens: 4_900 },
    }
    const { output, receipt } = await inMidStream(billing, 'billing', finish() + usage(figures) + DONE)
    expect([output, receipt?.counted]).toEqual([5_000, undefined])
  })

  test('after the finish reason: the gateway waits for the usage', async () => {
    const { secret, settled } = await newKey(gateway)
    let send = (_: string) => {}
    upstream.behave((socket) => {
      socket.write(Buffer.concat([Buffer.from(STREAM_HEAD), chunk(event('Hello') + finish())]))
      send = (text) => void socket.write(Buffer.concat([chunk(text), Buffer.from(LAST_CHUNK)]))
    })
    const client = await openClient(gateway.url, secret, chatBody('renamed', true))
    await client.readUntil('"stop"')
    client.disconnect()
    await caughtUp(gateway)
    send(usage({ prompt_tokens: 123, completion_tokens: 45 }) + DONE)
    expect(await settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: cost(123, 45) }])
  })

  test('after the finish reason, and no usage arrives in time: the output is counted', async () => {
    const { secret, settled } = await newKey(gateway)
    upstream.behave(streamWithoutEnd(event('Hello'), finish()))
    const client = await openClient(gateway.url, secret, chatBody('renamed', true))
    await client.readUntil('"stop"')
    client.disconnect()
    await upstream.connectionClosed()
    expect(await settled()).toMatchObject([
      { outcome: 'client_disconnected', receipt: { counted: expect.stringContaining('missing') } },
    ])
  })

  test('during an unstreamed response: it is read to its end and charged', async () => {
    const { secret, settled } = await newKey(gateway)
    const bytes = Buffer.from(JSON.stringify(reply()))
    let finishIt = () => {}
    upstream.behave((socket) => {
      socket.write(Buffer.concat([Buffer.from(head(200, bytes.length)), bytes.subarray(0, 20)]))
      finishIt = () => void socket.write(bytes.subarray(20))
    })
    const before = upstream.received.length
    const client = await openClient(gateway.url, secret, chatBody('renamed', false))
    await requestReceived(upstream, before)
    await caughtUp(gateway)
    client.disconnect()
    await caughtUp(gateway)
    finishIt()
    expect(await settled()).toMatchObject([{ outcome: 'client_disconnected', cost_usd: cost(10, 20) }])
  })

  test.each([
    ['streamed', true],
    ['unstreamed', false],
  ])('for nothing more than five times: from then on it is fetched and charged, %s', async (_, streamed) => {
    const { secret, rows, settled } = await newKey(gateway)
    upstream.behave(() => {})
    for (let times = 0; times < 6; times++) {
      const before = upstream.received.length
      const client = await openClient(gateway.url, secret, chatBody('renamed', streamed))
      await requestReceived(upstream, before)
      client.disconnect()
      while ((await rows()).filter(({ outcome }) => outcome === 'client_disconnected').length <= times)
        await Bun.sleep(10)
    }
    let finishIt = () => {}
    upstream.behave((socket, request) => {
      const respond = streamed ? stream(role(), event('Hello'), finish(), usage(), DONE) : respondWith(reply())
      finishIt = () => void respond(socket, request)
    })
    const before = upstream.received.length
    const client = await openClient(gateway.url, secret, chatBody('renamed', streamed))
    await requestReceived(upstream, before)
    client.disconnect()
    await caughtUp(gateway)
    finishIt()
    const found = await settled()
    expect(found.map(({ outcome }) => outcome)).toEqual(Array(7).fill('client_disconnected'))
    expect(found.map((row) => row.cost_usd)).toEqual([cost(10, 20), ...Array(6).fill('0.00')])
  })
})

test('a hundred clients that disconnect at random moments: no hold remains, and every request has its row', async () => {
  const { secret, rows, account } = await newKey(gateway, '100')
  upstream.behave(async (socket, request) => {
    await Bun.sleep(request.body.length % 7)
    if (!request.body.includes('"stream":true')) return void respondWith(reply())(socket, request)
    socket.write(STREAM_HEAD)
    for (const part of [role(), event('Hello'), event('there'), finish(), usage(), DONE]) {
      socket.write(chunk(part))
      await Bun.sleep(3)
    }
    socket.write(LAST_CHUNK)
  })
  const clients = Array.from({ length: 100 }, async (_, index) => {
    const model = index % 3 === 0 ? 'sandbox-text' : 'renamed'
    const content = 'x'.repeat(index % 11)
    const body = { model, stream: index % 2 === 0, messages: [{ role: 'user', content }] }
    const client = await openClient(gateway.url, secret, body)
    await Bun.sleep((index * 7) % 40)
    client.disconnect()
    await client.response.then((response) => response.text()).catch(() => {})
  })
  await Promise.all(clients)
  // Some may not have started when their client disconnected; the point is that no hold remains.
  const isRunning = async () => (await rows()).some(({ outcome }) => outcome === 'running')
  while ((await isRunning()) || (await account()).held_usd !== '0.00') await Bun.sleep(20)
  const found = await rows()
  expect(new Set(found.map(({ request_id }) => request_id)).size).toBe(found.length)
})

test('a client that stops reading applies backpressure to the upstream', async () => {
  const { secret, settled } = await newKey(gateway, '100')
  let written = 0
  let filled = false
  upstream.behave(async (socket) => {
    socket.write(STREAM_HEAD)
    const piece = chunk(event('x'.repeat(60_000)))
    while (!socket.destroyed && written < 400_000_000) {
      written += piece.length
      if (socket.write(piece)) continue
      const drained = new Promise((resolve) => socket.once('drain', resolve).once('close', resolve))
      const isDrained = await Promise.race([drained.then(() => true), Bun.sleep(2_000).then(() => false)])
      filled ||= !isDrained
      await drained
    }
  })
  const { hostname, port } = new URL(gateway.url)
  const client = connect(Number(port), hostname)
  const body = JSON.stringify(chatBody('renamed', true))
  client.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  client.pause()
  while (!filled && written < 400_000_000) await Bun.sleep(20)
  expect(written).toBeLessThan(60_000_000)
  client.destroy()
  await upstream.connectionClosed()
  const [row] = await settled()
  expect(row?.outcome).toBe('client_disconnected')
})
