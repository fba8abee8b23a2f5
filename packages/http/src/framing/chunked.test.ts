import { expect, test } from 'bun:test'
import { ChunkedDecoder } from './chunked.ts'

// Accepted and rejected framing is in the conformance suite: packages/http/test-support/conformance-requests.ts.

test('bytes after the body are left alone', () => {
  const decoder = new ChunkedDecoder()
  const bytes = Buffer.from('2\r\nab\r\n0\r\n\r\nHTTP/1.1 200 OK', 'latin1')
  expect([decoder.push(bytes).toString('latin1'), decoder.done, decoder.used]).toEqual(['ab', true, 12])
})

test('a small piece does not keep the whole read in memory', () => {
  const chunk = `1;${'a'.repeat(250)}\r\nx\r\n`
  const piece = new ChunkedDecoder().push(Buffer.from(chunk.repeat(4_000), 'latin1'))
  expect(piece.length).toBe(4_000)
  expect(piece.buffer.byteLength).toBeLessThanOrEqual(2 * piece.length)
})
