// Conformance: rejected and accepted requests, parsed alone and received over a socket, whole and cut at random points.
import { afterAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  ACCEPTED_CHUNKS,
  ACCEPTED_HEADS,
  REJECTED_CHUNKS,
  REJECTED_HEADS,
  REJECTED_STARTS,
} from '../../test-support/conformance-requests.ts'
import { echo, echoOf } from '../../test-support/handler.ts'
import { RawClient } from '../../test-support/raw-client.ts'
import { serveForTest } from '../../test-support/serve.ts'
import { ChunkedDecoder, Malformed } from '../framing/chunked.ts'
import { RejectedHead, RequestHead } from '../server/incoming/request-head.ts'

let handled: string[] = []
const server = serveForTest((request) => {
  handled.push(request.target)
  return echo(request)
})
afterAll(() => server.stop())

/** A request that must never be handled if the one before it is rejected. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
const CHUNKED_HEAD = 'POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'

/** The pieces of a text that is cut at these fractions of its length. */
function cut(text: string, fractions: readonly number[]): string[] {
  const points = [...new Set(fractions.map((fraction) => Math.floor(fraction * text.length)))].sort((a, b) => a - b)
  return [0, ...points].map((point, index) => text.slice(point, points[index] ?? text.length)).filter(Boolean)
}

/** Sends the pieces one by one; returns the one response, after which the server must close the connection. */
async function rejectionOf(pieces: readonly string[]): Promise<number> {
  handled = []
  const client = new RawClient(server.port)
  await client.sendEach(pieces)
  const { status, headers, body } = await client.response()
  const { rest } = await client.end()
  client.disconnect()
  expect({ connection: headers.connection, body, rest }).toEqual({ connection: 'close', body: '', rest: '' })
  return status
}

function parse(text: string): number | RequestHead {
  try {
    return new RequestHead({ bytes: Buffer.from(text, 'latin1'), start: 0, end: text.length })
  } catch (error) {
    if (error instanceof RejectedHead) return error.status
    throw error
  }
}

/** The content of a chunked body whose bytes arrive in pieces of this size. */
function decode(text: string, size = text.length) {
  const decoder = new ChunkedDecoder()
  const bytes = Buffer.from(text, 'latin1')
  let body = ''
  let at = 0
  while (at < bytes.length && !decoder.done) {
    body += decoder.push(Buffer.from(bytes.subarray(at, at + size))).toString('latin1')
    at += decoder.used
  }
  return { body, done: decoder.done, rest: bytes.length - at }
}

describe('rejected heads', () => {
  test.each(REJECTED_HEADS)('%s', async (_, head, status) => {
    expect(parse(head)).toBe(status)
    expect(await rejectionOf([`${head}\r\n\r\n${SMUGGLED}`])).toBe(status)
    expect(handled).toEqual([])
  })

  test.each(REJECTED_STARTS)('%s', async (_, start, status) => {
    expect(await rejectionOf([start])).toBe(status)
    expect(handled).toEqual([])
  })

  test('cut at random points', async () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...REJECTED_HEADS), cuts, async ([, head, status], fractions) => {
        expect(await rejectionOf(cut(`${head}\r\n\r\n${SMUGGLED}`, fractions))).toBe(status)
        expect(handled).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

describe('accepted heads', () => {
  test.each(ACCEPTED_HEADS)('%s', async (_, head, target) => {
    const client = new RawClient(server.port)
    for (const pieces of [[`${head}\r\n\r\n`], cut(`${head}\r\n\r\n`, [0.2, 0.6, 0.9])]) {
      handled = []
      const each = /HTTP\/1\.0/.test(head) ? new RawClient(server.port) : client
      await each.sendEach(pieces)
      expect([(await each.response()).status, handled]).toEqual([200, [target]])
    }
    client.disconnect()
  })
})

describe('chunked bodies', () => {
  test.each(ACCEPTED_CHUNKS)('accepted: %s', async (_, text, body) => {
    for (let size = 1; size <= text.length; size++)
      expect({ size, ...decode(text, size) }).toEqual({ size, body, done: true, rest: 0 })
    const client = new RawClient(server.port).send(`${CHUNKED_HEAD}${text}${SMUGGLED}`)
    expect((await client.responses(2)).map((response) => response.body)).toEqual([
      echoOf('POST', '/a', body),
      echoOf('GET', '/smuggled', ''),
    ])
    client.disconnect()
  })

  test.each(REJECTED_CHUNKS)('rejected: %s', async (_, text) => {
    expect(() => decode(text)).toThrow(Malformed)
    expect(() => decode(text, 1)).toThrow(Malformed)
    expect(await rejectionOf([`${CHUNKED_HEAD}${text}${SMUGGLED}`])).toBe(400)
    expect(handled).not.toContain('/smuggled')
  })

  test('rejected, cut at random points', async () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...REJECTED_CHUNKS), cuts, async ([, text], fractions) => {
        expect(await rejectionOf(cut(`${CHUNKED_HEAD}${text}${SMUGGLED}`, fractions))).toBe(400)
        expect(handled).not.toContain('/smuggled')
      }),
      { numRuns: 40 },
    )
  })

  test('rejected while the handler reads, which is no failure of the handler', async () => {
    handled = []
    const client = new RawClient(server.port)
    await client.sendEach([CHUNKED_HEAD])
    while (handled.length === 0) await Bun.sleep(1)
    await client.sendEach(['5\r\nhello!!'])
    expect((await client.response()).status).toBe(400)
    client.disconnect()
  })

  test('a truncated body is not complete', () => {
    for (const text of ['', '5', '5\r\nhel', '5\r\nhello\r\n', '5\r\nhello\r\n0\r\n', '0\r\na: b\r\n'])
      expect(decode(text).done).toBeFalse()
  })
})
