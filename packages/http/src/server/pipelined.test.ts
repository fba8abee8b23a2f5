// Requests in a row, cut anywhere: the answers are the same, and each to its own request.
import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { PreparedResponse } from '../prepared-response.ts'
import { fixedHeaders } from '../response.ts'
import { serveForTest } from '../test-support.ts'
import type { AdmissionGate } from './admission-gate.ts'
import { createNextIterationQueue } from './paced-queue.ts'
import { RawClient } from './test-client.ts'
import { echo, echoOf } from './test-handler.ts'

const TURNED_AWAY = { status: 503, fixed: fixedHeaders({}), body: 'POST /turned-away' }
const turnedAway = new PreparedResponse(TURNED_AWAY)
const inNextTurn = createNextIterationQueue()
/** Some are turned away before anything is made of them, where they come alone and whole; else the handler says the same. */
const door: AdmissionGate = {
  isActive: true,
  submit(path, _bytes, who) {
    if (path === '/kept') {
      inNextTurn({ proceed: () => who.admit(1) })
      return 'queued'
    }
    if (path !== '/turned-away') return undefined
    inNextTurn(who)
    return turnedAway
  },
  nextRequestId: () => 'req_0000000000000001',
}
const host = serveForTest(echo, { gate: door })
afterAll(() => host.stop())

type Asked = { path: string; body: string; form: 'length' | 'chunks' | 'none' }

/** Bodies that look like requests, chunks and ends of either: none of it may be taken for one. */
const SUSPICIOUS = [
  'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
  '0\r\n\r\n',
  '\r\n',
  '\r\n\r\n',
  '5\r\nhello\r\n',
  'x',
  '\0',
]
const asked: fc.Arbitrary<Asked> = fc.record({
  path: fc.constantFrom('/a', '/b?c=d', '/at-once', '/unread', '/streamed', '/turned-away', '/kept'),
  body: fc.array(fc.constantFrom(...SUSPICIOUS), { maxLength: 8 }).map((parts) => parts.join('')),
  form: fc.constantFrom('length', 'chunks', 'none'),
})

/** Answered without a look at the body. */
const UNREAD: readonly string[] = ['/at-once', '/unread', '/turned-away']

function written({ path, body, form }: Asked): string {
  const head = `POST ${path} HTTP/1.1\r\nHost: a\r\n`
  if (form === 'none') return `${head}\r\n`
  if (form === 'length') return `${head}Content-Length: ${body.length}\r\n\r\n${body}`
  const half = Math.floor(body.length / 2)
  const chunks = [body.slice(0, half), body.slice(half)].filter((chunk) => chunk !== '')
  const framed = chunks.map((chunk) => `${chunk.length.toString(16)};a=b\r\n${chunk}\r\n`).join('')
  return `${head}Transfer-Encoding: chunked\r\n\r\n${framed}0\r\nTrailer: x\r\n\r\n`
}

function expected({ path, body, form }: Asked): string {
  if (UNREAD.includes(path)) return `POST ${path}`
  return echoOf('POST', path, form === 'none' ? '' : body)
}

/** A body in chunks that is answered before it has come closes the connection; so it has to come with its head. */
const isSure = ({ path, form }: Asked) => form !== 'chunks' || !UNREAD.includes(path)

test('wherever they are cut', async () => {
  const requests = fc.array(asked.filter(isSure), { minLength: 1, maxLength: 12 })
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
