// Responses that are mostly framing, on a connection that gets its bytes from the test.
import { describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { Cancel } from '../cancel.ts'
import { Connection } from './connection.ts'
import { readAtMost } from './read-response.ts'
import type { UpstreamResponse } from './upstream-response.ts'

const REQUEST = [Buffer.from('GET / HTTP/1.1\r\nhost: x\r\n\r\n')]

/** The response that arrives in these reads, or the code of the error. */
function replyOf(...reads: string[]): Promise<UpstreamResponse | string> {
  const connection = new Connection({ release: () => {}, closed: () => {} })
  const socket = { write: (bytes: Uint8Array) => bytes.length, pause() {}, resume() {}, timeout() {}, terminate() {} }
  connection.onOpen(socket as unknown as Socket<Connection>)
  return new Promise((resolve) => {
    const failed = (error: unknown) =>
      resolve(error instanceof Error && 'code' in error ? String(error.code) : 'broken')
    connection.send(REQUEST, { cancel: new Cancel(), onResponse: resolve, onError: failed })
    for (const read of reads) connection.onData(Buffer.from(read, 'latin1'))
  })
}

async function textOf(reply: UpstreamResponse | string, limit = 1e9): Promise<string | undefined> {
  if (typeof reply === 'string') return reply
  const bytes = await readAtMost(reply, limit)
  return bytes && Buffer.from(bytes).toString('latin1')
}

describe('interim responses', () => {
  const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'
  const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc'

  test('are skipped, however many arrive in one read', async () => {
    expect(await textOf(await replyOf(`${CONTINUE.repeat(30_000)}${OK}`))).toBe('abc')
  })

  test('are skipped, wherever a read ends', async () => {
    const sent = CONTINUE + CONTINUE + OK
    for (let at = 1; at < 2 * CONTINUE.length + 10; at++) {
      expect(await textOf(await replyOf(sent.slice(0, at), sent.slice(at)))).toBe('abc')
    }
  })

  test('count as headers, in however many reads they arrive', async () => {
    const half = CONTINUE.repeat(50_000)
    expect(await replyOf(half, half)).toBe('MalformedReply')
  })
})

describe('tiny chunks with long extensions', () => {
  const TINY = `1;${'a'.repeat(250)}\r\nx\r\n`
  const sent = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${TINY.repeat(1_500)}0\r\n\r\n`

  test('take no more memory than their bytes while they are unread', async () => {
    const half = sent.length / 2
    const reply = await replyOf(sent.slice(0, half), sent.slice(half))
    const piece = typeof reply === 'string' ? undefined : await reply.read()
    expect(piece?.length).toBe(1_500)
    expect(piece?.buffer.byteLength).toBeLessThanOrEqual(3_000)
  })

  test('are too large when their framing is', async () => {
    expect((await textOf(await replyOf(sent), 350_000))?.length).toBe(1_500)
    expect(await textOf(await replyOf(sent), 10_000)).toBeUndefined()
  })
})
