// Conformance: pipelined requests, cut at random points, get their own responses in order.
import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { echo, echoOf } from '../../test-support/handler.ts'
import { RawClient } from '../../test-support/raw-client.ts'
import { serveForTest } from '../../test-support/serve.ts'
import { PreparedResponse } from '../prepared-response.ts'
import { fixedHeaders } from '../response.ts'
import type { AdmissionGate } from '../server/admission-gate.ts'
import { createNextIterationQueue } from '../server/paced-queue.ts'

const REJECTION = { status: 503, fixed: fixedHeaders({}), body: 'POST /rejected-early' }
const rejection = new PreparedResponse(REJECTION)
const inNextIteration = createNextIterationQueue()
/** Rejects some requests unread if they arrive alone and complete; otherwise the handler responds alike. */
const gate: AdmissionGate = {
  isActive: true,
  submit(path, _bytes, request) {
    if (path === '/kept') {
      inNextIteration({ proceed: () => request.admit(1) })
      return 'queued'
    }
    if (path !== '/rejected-early') return undefined
    inNextIteration(request)
    return rejection
  },
  nextRequestId: () => 'req_0000000000000001',
}
const host = serveForTest(echo, { gate })
afterAll(() => host.stop())

type Sent = { path: string; body: string; form: 'length' | 'chunks' | 'none' }

/** Bodies that look like requests or framing, and must not be parsed as such. */
const SUSPICIOUS = [
  'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
  '0\r\n\r\n',
  '\r\n',
  '\r\n\r\n',
  '5\r\nhello\r\n',
  'x',
  '\0',
]
const sent: fc.Arbitrary<Sent> = fc.record({
  path: fc.constantFrom('/a', '/b?c=d', '/at-once', '/unread', '/streamed', '/rejected-early', '/kept'),
  body: fc.array(fc.constantFrom(...SUSPICIOUS), { maxLength: 8 }).map((parts) => parts.join('')),
  form: fc.constantFrom('length', 'chunks', 'none'),
})

/** Answered without reading the body. */
const UNREAD: readonly string[] = ['/at-once', '/unread', '/rejected-early']

function written({ path, body, form }: Sent): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n`
  if (form === 'none') return `${head}\r\n`
  if (form === 'length') return `${head}Content-Length: ${body.length}\r\n\r\n${body}`
  const half = Math.floor(body.length / 2)
  const chunks = [body.slice(0, half), body.slice(half)].filter((chunk) => chunk !== '')
  const framed = chunks.map((chunk) => `${chunk.length.toString(16)};a=b\r\n${chunk}\r\n`).join('')
  return `${head}Transfer-Encoding: chunked\r\n\r\n${framed}0\r\nTrailer: x\r\n\r\n`
}

function expected({ path, body, form }: Sent): string {
  if (UNREAD.includes(path)) return `POST ${path}`
  return echoOf('POST', path, form === 'none' ? '' : body)
}

/** An unread chunked body closes the connection, unless it has arrived with its head. */
const isDeterministic = ({ path, form }: Sent) => form !== 'chunks' || !UNREAD.includes(path)

test('cut at random points', async () => {
  const requests = fc.array(sent.filter(isDeterministic), { minLength: 1, maxLength: 12 })
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })
  const property = fc.asyncProperty(requests, cuts, async (requests, cuts) => {
    const text = requests.map(written).join('')
    const ends = [...cuts.map((cut) => Math.floor(cut * text.length)), text.length].sort((one, other) => one - other)
    const pieces = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end)).filter((piece) => piece !== '')
    const client = new RawClient(host.port)
    const answering = client.responses(requests.length)
    await client.sendEach(pieces)
    expect((await answering).map(({ body }) => body)).toEqual(requests.map(expected))
    client.disconnect()
  })
  await fc.assert(property, { numRuns: 150, seed: 20 })
})
