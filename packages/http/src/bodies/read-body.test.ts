import { afterAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import {
  brotliCompressSync,
  createZstdCompress,
  deflateSync,
  gzipSync,
  constants as zlib,
  zstdCompressSync,
} from 'node:zlib'
import { serveForTest, testHeaders } from '../../test-support/serve.ts'
import { json } from '../response.ts'
import { JSON_BODY, readBody } from './read-body.ts'

const after = (ms: number, run: () => void) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}
const LIMIT = 300_000

// Responds with what was read, or with the status of the error. `outcome` also shows what a disconnected client cannot see.
let outcome: ((code: string) => void) | undefined
const server = serveForTest(async (request) => {
  const idleMs = Number(new URLSearchParams(request.target.split('?')[1]).get('idle') ?? 5000)
  const body = await readBody(request, { limitBytes: LIMIT, contentTypes: JSON_BODY, idleMs, after })
  const isRead = body instanceof Uint8Array
  outcome?.(isRead ? 'read' : body.reason)
  return isRead
    ? { status: 200, headers: testHeaders(), body }
    : json(body.status, testHeaders(), { code: body.reason, ...body })
})
afterAll(() => server.stop())

const JSON_HEADER = { 'content-type': 'application/json' }

async function post(body: Uint8Array | string | ReadableStream, headers: Record<string, string> = JSON_HEADER) {
  const response = await fetch(server.url, { method: 'POST', body, headers })
  const bytes = await response.bytes()
  if (response.ok) return { bytes }
  return { status: response.status, ...JSON.parse(new TextDecoder().decode(bytes)) }
}

/**
 * Writes HTTP by hand. The steps are what to send, or what to do to the connection. Returns all that was received, up to
 * this many responses, which end in END or, being JSON, in a brace.
 */
async function speak(steps: (string | Uint8Array | 'finish' | 'leave')[], answers = 1): Promise<string> {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  const done = new Promise<void>((resolve) => {
    for (const ending of ['error', 'close', 'end']) socket.on(ending, () => resolve())
    socket.on('data', (data) => {
      received += data.toString('latin1')
      if (received.split('HTTP/1.1 ').length > answers && /(END|\})$/.test(received)) resolve()
    })
  })
  for (const step of steps) {
    // Apart in time, so that the server sees them one by one.
    await Bun.sleep(20)
    if (step === 'finish') socket.end()
    else if (step === 'leave') socket.destroy()
    else socket.write(step)
  }
  await done
  socket.destroy()
  return received
}

const head = (headers: string, query = '') =>
  `POST /${query} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}\r\n\r\n`
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const statusOf = (received: string) => /^HTTP\/1\.1 ([0-9]+)/.exec(received)?.[1]

function text(length: number): string {
  return `{"text":"${'x'.repeat(length - 11)}"}`
}

describe('sizes', () => {
  test.each([1, 1000, 256 * 1024, 256 * 1024 + 1, LIMIT])('%d bytes are read whole, announced or not', async (size) => {
    const body = 'y'.repeat(size)
    const chunked = new Blob([body]).stream()
    for (const sent of [body, chunked]) expect(new TextDecoder().decode((await post(sent)).bytes)).toBe(body)
  })

  test('the framing of chunks counts as well', async () => {
    const tiny = `1;${'a'.repeat(250)}\r\ny\r\n`
    const send = (times: number) =>
      speak([head('transfer-encoding: chunked'), `${tiny.repeat(times)}${chunk('END')}0\r\n\r\n`])
    expect(statusOf(await send(1_000))).toBe('200')
    const rejected = await send(2_000)
    expect(statusOf(rejected)).toBe('413')
    expect(rejected).toContain(`${LIMIT} bytes, with the framing of its chunks`)
  })

  test('one byte more is too large, announced or not, and the limit is named', async () => {
    for (const sent of ['y'.repeat(LIMIT + 1), new Blob(['y'.repeat(LIMIT + 1)]).stream()])
      expect(await post(sent)).toMatchObject({
        status: 413,
        code: 'request_too_large',
        message: expect.stringContaining('300000'),
      })
  })

  test('an announced size over the limit is rejected before any of it is sent', async () => {
    expect(statusOf(await speak([head('content-length: 999999999')]))).toBe('413')
  })

  test('endless chunks are rejected at the limit', async () => {
    const chunks = Array.from({ length: 5 }, () => chunk('z'.repeat(65_536)))
    expect(statusOf(await speak([head('transfer-encoding: chunked'), ...chunks]))).toBe('413')
  })

  test('after a rejection the next request on the connection is answered', async () => {
    const next = `${head('content-length: 3')}END`
    const received = await speak([`${head(`content-length: ${LIMIT + 1}`)}${'y'.repeat(LIMIT + 1)}`, next], 2)
    expect(received.match(/HTTP\/1\.1 [0-9]+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })

  test('a body longer than announced ends where it was announced', async () => {
    const received = await speak([`${head('content-length: 3')}ENDand more`])
    expect(received).toMatch(/^HTTP\/1.1 200.*\r\n\r\nEND/s)
    expect(received).not.toContain('and more')
  })

  test('a missing body is an error of the client', async () => {
    expect(await post('')).toMatchObject({ status: 400, code: 'bad_request' })
    for (const headers of ['transfer-encoding: chunked', 'content-encoding: gzip\r\ntransfer-encoding: chunked'])
      expect(await speak([head(headers), '0\r\n\r\n'])).toMatch(/^HTTP\/1.1 400.*no body/s)
  })
})

describe('senders that do not finish', () => {
  test.each([
    ['announced', `${head('content-length: 10', '?idle=60')}half`],
    ['announced, large', `${head(`content-length: ${LIMIT}`, '?idle=60')}half`],
    ['chunked', head('transfer-encoding: chunked', '?idle=60') + chunk('half')],
    [
      'compressed',
      head('content-encoding: gzip\r\ncontent-length: 1000', '?idle=60') + gzipSync(text(90)).toString('latin1'),
    ],
  ])('silence within the body is a timeout: %s', async (_, sent) => {
    expect(statusOf(await speak([Buffer.from(sent, 'latin1')]))).toBe('408')
  })

  test('a slow sender that is never silent for long is waited for', async () => {
    const drip = Array.from({ length: 30 }, () => chunk('z'))
    const received = await speak([head('transfer-encoding: chunked', '?idle=500'), ...drip, `${chunk('END')}0\r\n\r\n`])
    expect(received).toMatch(/^HTTP\/1.1 200.*z{30}END/s)
  })

  test.each<['finish' | 'leave', string]>([
    ['finish', `${head('content-length: 10')}half`],
    ['leave', `${head('content-length: 10')}half`],
    ['finish', head('transfer-encoding: chunked') + chunk('half')],
    ['leave', head('transfer-encoding: chunked') + chunk('half')],
  ])('%s within the body is a client disconnect', async (ending, sent) => {
    const seen = new Promise<string>((resolve) => {
      outcome = resolve
    })
    await speak([sent, ending])
    expect(await seen).toBe('client_closed_request')
    outcome = undefined
  })

  test('a sender that closes its side after a complete body gets its response', async () => {
    expect(await speak([`${head('content-length: 3')}END`, 'finish'])).toMatch(/^HTTP\/1.1 200.*END$/s)
  })
})

describe('memory', () => {
  /** A budget of so many bytes. */
  const slotOf = (most: number) => {
    const seen: [number, number][] = []
    return { seen, receive: (sent: number, bytes: number) => seen.push([sent, bytes]) > 0 && bytes <= most }
  }
  const read = (sent: Uint8Array, encoding: string, slot: ReturnType<typeof slotOf>) => {
    const pieces = [sent]
    const headers = new Headers({ ...JSON_HEADER, 'content-encoding': encoding })
    const options = { limitBytes: 40_000_000, contentTypes: JSON_BODY, idleMs: 5_000, after, slot }
    return readBody({ body: { received: 0, read: () => pieces.shift() }, headers }, options)
  }

  test.each([
    'gzip',
    'deflate',
    'br',
    'zstd',
  ])('%s is decoded only as far as there is memory for it', async (encoding) => {
    const sent = ENCODERS[encoding]?.(Buffer.alloc(4_000_000, '[],')) ?? EMPTY
    const slot = slotOf(1_000_000)
    expect(await read(sent, encoding, slot)).toMatchObject({ reason: 'service_unavailable', retryAfter: 1 })
    const most = Math.max(...slot.seen.map(([, bytes]) => bytes))
    expect([slot.seen[0]?.[0], most < 2_000_000]).toEqual([sent.length, true])
    expect(await read(sent, encoding, slotOf(4_000_100))).toHaveLength(4_000_000)
  })

  test('a plain body is read only as far as there is memory for it', async () => {
    expect(await read(new Uint8Array(11), 'identity', slotOf(10))).toMatchObject({ reason: 'service_unavailable' })
    expect(await read(new Uint8Array(10), 'identity', slotOf(10))).toHaveLength(10)
  })
})
const EMPTY = new Uint8Array(0)

function noise(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  let state = 1
  for (let index = 0; index < size; index++) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}

const ENCODERS: Record<string, (data: Uint8Array | string) => Buffer> = {
  gzip: (data) => gzipSync(data),
  'x-gzip': (data) => gzipSync(data),
  deflate: (data) => deflateSync(data),
  br: (data) => brotliCompressSync(data),
  zstd: (data) => zstdCompressSync(data),
}

describe.each(Object.entries(ENCODERS))('content-encoding %s', (encoding, encode) => {
  const headers = { ...JSON_HEADER, 'content-encoding': encoding }

  test('is decoded, announced or in chunks', async () => {
    for (const plain of [text(200), text(LIMIT)]) {
      const sent = encode(plain)
      for (const body of [sent, new Blob([sent]).stream()])
        expect(new TextDecoder().decode((await post(body, headers)).bytes)).toBe(plain)
    }
  })

  test('is decoded if it arrives byte by byte', async () => {
    const sent = encode(text(200))
    const pieces = new ReadableStream({
      async start(controller) {
        for (const byte of sent) {
          controller.enqueue(Uint8Array.of(byte))
          await Bun.sleep(0)
        }
        controller.close()
      },
    })
    expect(new TextDecoder().decode((await post(pieces, headers)).bytes)).toBe(text(200))
  })

  test('counts the decoded size: one byte over, and a bomb', async () => {
    for (const size of [LIMIT + 1, 20_000_000])
      expect(await post(encode(Buffer.alloc(size, 'b')), headers)).toMatchObject({ status: 413 })
  })

  test('a decompression bomb is rejected while it is still being sent', async () => {
    const start = encode(Buffer.alloc(20_000_000, 'b'))
    // Announced as longer than it is: a response that waited for the end would be a timeout.
    const headers = head(`content-encoding: ${encoding}\r\ncontent-length: ${start.length + 1}`, '?idle=2000')
    expect(statusOf(await speak([headers, start]))).toBe('413')
  })

  test('cut anywhere, or not compressed at all, is an error of the client', async () => {
    // Incompressible, so that whole blocks of it come out before the cut.
    const whole = encode(noise(280_000))
    for (const length of [1, 5, whole.length >> 1, whole.length - 100, whole.length - 1])
      expect(await post(whole.subarray(0, length), headers)).toMatchObject({ status: 400, code: 'bad_request' })
    expect(await post(text(200), headers)).toMatchObject({ status: 400, code: 'bad_request' })
  })

  test('of no bytes is an empty body', async () => {
    expect(await post(encode(''), headers)).toMatchObject({ status: 400, code: 'bad_request' })
  })
})

describe('other encodings', () => {
  test('identity is no encoding', async () => {
    expect((await post('{}', { ...JSON_HEADER, 'content-encoding': 'Identity' })).bytes).toHaveLength(2)
  })

  test.each([
    'compress',
    'gzip, gzip',
    'br, gzip',
    'identity, gzip',
    'constructor',
    'aws-chunked',
  ])('%s', async (encoding) => {
    const answer = await post(gzipSync(gzipSync('{}')), { ...JSON_HEADER, 'content-encoding': encoding })
    expect(answer).toMatchObject({
      status: 415,
      code: 'unsupported_media_type',
      message: expect.stringContaining('gzip'),
    })
  })

  test('a zstd frame that demands a huge window is rejected', async () => {
    const compress = createZstdCompress({ params: { [zlib.ZSTD_c_windowLog]: 27 } })
    compress.write('{}')
    compress.flush()
    compress.end('{}')
    const sent = Buffer.concat(await Array.fromAsync(compress as AsyncIterable<Uint8Array>))
    expect(await post(sent, { ...JSON_HEADER, 'content-encoding': 'zstd' })).toMatchObject({ status: 400 })
  })
})

describe('content types', () => {
  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; profile=x; charset=utf8',
    'application/vnd.api+json',
    'application/problem+JSON; charset=utf-8',
  ])('%s is JSON', async (type) => {
    expect((await post('{}', { 'content-type': type })).bytes).toHaveLength(2)
  })

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json, text/plain',
    'application/json+xml',
    '+json',
    'application/json; charset=utf-16',
    'application/json; charset=latin1; charset=utf-8',
    'application/json; charset=utf-8; charset=utf-16',
  ])('%s is not', async (type) => {
    expect(await post('{}', { 'content-type': type })).toMatchObject({ status: 415, code: 'unsupported_media_type' })
  })

  test('a missing type is rejected, with what to send', async () => {
    const received = await speak(['POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}'])
    expect(statusOf(received)).toBe('415')
    expect(received).toContain('Content-Type: application/json')
  })
})
