// The largest images that pass are in memory once; larger ones are rejected; a slow client stops the upstream.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { eventually } from '../../test/support/eventually.ts'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { generate } from '../../test/support/requests/images.ts'
import { PNG_512 } from '../../test/support/upstreams/image-replies.ts'

const MIB = 1024 * 1024
const LARGEST_EVENT = 64 * MIB
const LARGEST_REPLY = 128 * MIB
/** Buffers of connections, and garbage. */
const SLACK = 48 * MIB
/** Begins like an image. */
const CHUNK = Buffer.alloc(64 * 1024, 'QUJD')
CHUNK.set(Buffer.from(PNG_512.slice(0, 400)))

type Answer = (write: (bytes: string | Uint8Array) => Promise<void>) => Promise<void>
let answer: Answer
let isStream = false
let upstream: Server
let gateway: Gateway
let secret: string
let atStart: number
let settled: Awaited<ReturnType<typeof newKey>>['settled']

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  request.resume()
  const closed = once(response, 'close')
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  await answer(async (bytes) => {
    if (!response.destroyed && !response.write(bytes)) await Promise.race([closed, once(response, 'drain')])
  })
  response.end()
}

beforeAll(async () => {
  upstream = createServer((request, response) => void serve(request, response))
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo
  gateway = await startGateway({
    config: `upstreams:
  - { id: up, dialect: images, base_url: "http://127.0.0.1:${port}/v1", keys: [upstream-key-123], breaker: false }
  - { id: one, dialect: generate-content, base_url: "http://127.0.0.1:${port}/v1beta", keys: [upstream-key-123] }
models:
  - { id: several, type: image, price: { per_image: 0.04 }, routes: [{ upstream: one, model: m }] }
  - { id: large, type: image, price: { per_image: 0.04 }, routes: [{ upstream: up, model: m }] }
`,
  })
  const key = await newKey(gateway)
  secret = key.secret
  settled = key.settled
  // What a first request loads stays in memory.
  await measured('reply', MIB)
  atStart = memory('VmRSS')
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(gateway.output().stderr).not.toMatch(/"level":"error"/)
  await gateway.stop()
  upstream.close()
})

/** Memory of the gateway's process, in bytes. */
function memory(name: 'VmRSS' | 'VmHWM'): number {
  const kib = new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${gateway.pid}/status`, 'utf8'))?.[1]
  return Number(kib) * 1024
}

/** Its peak is counted from now on. */
const resetPeak = () => writeFileSync(`/proc/${gateway.pid}/clear_refs`, '5')

/** One image that makes the reply, or the data of the event, so many bytes long. */
function imageOf(form: 'reply' | 'event', bytes: number): Answer {
  const name = form === 'event' ? 'event: image_generation.completed\ndata: ' : ''
  const [before, after] =
    form === 'event' ? ['{"type":"image_generation.completed","b64_json":"', '"}'] : ['{"data":[{"b64_json":"', '"}]}']
  return async (write) => {
    await write(name + before)
    for (let left = bytes - before.length - after.length; left > 0; left -= CHUNK.length)
      await write(CHUNK.subarray(0, left))
    await write(`${after}${form === 'event' ? '\n\n' : ''}`)
  }
}

const ask = () => generate(gateway.url, secret, { model: 'large', prompt: 'a cat', stream: isStream })

async function measured(form: 'reply' | 'event', bytes: number, waitMs = 0) {
  isStream = form === 'event'
  answer = imageOf(form, bytes)
  resetPeak()
  const idle = memory('VmRSS')
  const response = await ask()
  await Bun.sleep(waitMs)
  let received = 0
  let text = ''
  for await (const piece of response.body ?? []) {
    received += piece.length
    if (received < 1_000) text += Buffer.from(piece).toString()
  }
  return { status: response.status, received, text, peak: memory('VmHWM') - idle }
}

describe.each([
  ['reply', LARGEST_REPLY],
  ['event', LARGEST_EVENT],
] as const)('the largest %s', (form, largest) => {
  test('is in memory once, while its client waits and then reads', async () => {
    const { status, received, peak } = await measured(form, largest, 300)
    expect([status, received > largest - MIB]).toEqual([200, true])
    expect(peak).toBeLessThan(largest + SLACK)
  })

  test('and one byte more is an error, and free', async () => {
    const { status, text, peak } = await measured(form, largest + 1)
    expect([status, text]).toEqual([502, expect.stringContaining('a response that is too large')])
    expect(peak).toBeLessThan(largest + SLACK)
    expect((await settled())[0]).toMatchObject({ outcome: 'failed', cost_usd: '0.00' })
  })
})

test('images of several calls that are too large together are as many as fit', async () => {
  isStream = false
  let calls = 0
  answer = async (write) => {
    calls++
    await write('{"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"')
    for (let left = 50 * MIB; left > 0; left -= CHUNK.length) await write(CHUNK)
    await write('"}}]},"finishReason":"STOP"}]}')
  }
  const response = await generate(gateway.url, secret, { model: 'several', prompt: 'a cat', n: 4 })
  expect([response.status, response.headers.get('x-trivium-warnings')]).toEqual([200, 'n;partial'])
  expect(Math.round((await response.bytes()).length / MIB)).toBe(100)
  expect([calls, (await settled())[0]?.cost_usd]).toEqual([3, '0.08'])
})

/** Reads the first bytes of a streamed response and then nothing, where `fetch` would read ahead. */
async function stalledClient() {
  const { hostname, port } = new URL(gateway.url)
  const body = JSON.stringify({ model: 'large', prompt: 'a cat', stream: true })
  const socket = connect(Number(port), hostname)
  const head = `POST /v1/images/generations HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${secret}`
  socket.write(
    `${head}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  let received = 0
  let reads = false
  socket.on('data', (piece) => {
    received += piece.length
    // At once: a busy process would read megabytes until it gets to another task.
    if (!reads) socket.pause()
  })
  await once(socket, 'data')
  const readAll = async () => {
    reads = true
    socket.resume()
    await once(socket, 'close')
    return received
  }
  return { readAll, received: () => received }
}

test('a client that does not read stops the upstream', async () => {
  isStream = true
  let sent = 0
  answer = async (write) => {
    for (let index = 0; index < 20; index++) {
      await write(`data: {"type":"image_generation.partial_image","partial_image_index":${index},"b64_json":"`)
      for (let chunks = 0; chunks < 128; chunks++) {
        await write(CHUNK)
        sent += CHUNK.length
      }
      await write('"}\n\n')
    }
    await imageOf('event', MIB)(write)
  }
  resetPeak()
  const idle = memory('VmRSS')
  const client = await stalledClient()
  // Until nothing is sent any more.
  for (let before = -1; before !== sent; await Bun.sleep(500)) before = sent
  // The client may have read some pieces before it paused; what lies between is in the buffers of the gateway and of the kernel.
  expect([sent - client.received() < 40 * MIB, memory('VmHWM') - idle < 64 * MIB]).toEqual([true, true])
  const received = await client.readAll()
  expect(received).toBeGreaterThan(160 * MIB)
})

test('what has been sent does not stay in memory', async () => {
  // The collector of a busy machine comes later.
  await eventually(() => memory('VmRSS') - atStart < LARGEST_REPLY + SLACK)
})
