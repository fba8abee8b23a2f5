import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { amazonFrame, chunkFrame, exceptionFrame, type HeaderValue } from '../../fixtures/amazon-frames.ts'
import { bufferCodec } from '../../fixtures/buffer-codec.ts'
import { type AmazonFrame, BrokenEventStream, MOST_FRAME_BYTES, openAmazonEvents } from './amazon-events.ts'

/** Written by Amazon's own codec. */
const CHUNK =
  '000000e20000004bd638d3ce0b3a6576656e742d747970650700056368756e6b0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d747970650700056576656e747b226279746573223a2265794a306558426c496a6f695932397564475675644639696247396a6131396b5a57783059534973496d6c755a475634496a6f774c434a6b5a5778305953493665794a306558426c496a6f69644756346446396b5a57783059534973496e526c654851694f694a4961534a3966513d3d222c2270223a2261626364227d528ecb0b'
const EXCEPTION =
  '0000008e00000061514180540f3a657863657074696f6e2d747970650700137468726f74746c696e67457863657074696f6e0d3a636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e0d3a6d6573736167652d74797065070009657863657074696f6e7b226d657373616765223a22546f6f206d616e7920746f6b656e73227dc81b1ec1'

const shown = ({ headers, payload }: AmazonFrame) => ({
  headers: Object.fromEntries(headers),
  payload: Buffer.from(payload).toString(),
})

/** Everything in these pieces. Frames are kept as they are at the moment they come. */
function read(pieces: readonly Uint8Array[]) {
  const reader = openAmazonEvents(bufferCodec)
  const frames = pieces.flatMap((piece) => reader.push(piece).map(shown))
  reader.end()
  return frames
}

const HI = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }
const CHUNK_SHOWN = {
  headers: { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
  payload: JSON.stringify({ bytes: Buffer.from(JSON.stringify(HI)).toString('base64'), p: 'abcd' }),
}
const EXCEPTION_SHOWN = {
  headers: {
    ':exception-type': 'throttlingException',
    ':content-type': 'application/json',
    ':message-type': 'exception',
  },
  payload: '{"message":"Too many tokens"}',
}

describe('frames of the official codec', () => {
  const both = Buffer.from(CHUNK + EXCEPTION, 'hex')

  test('are read', () => {
    expect(read([both])).toEqual([CHUNK_SHOWN, EXCEPTION_SHOWN])
  })

  test('are read when cut at every byte, and byte by byte', () => {
    for (let cut = 0; cut <= both.length; cut++)
      expect(read([both.subarray(0, cut), both.subarray(cut)])).toEqual([CHUNK_SHOWN, EXCEPTION_SHOWN])
    expect(read([...both].map((byte) => Uint8Array.of(byte)))).toEqual([CHUNK_SHOWN, EXCEPTION_SHOWN])
  })

  test('the writer of the tests writes the same bytes', () => {
    expect(exceptionFrame('throttlingException', { message: 'Too many tokens' }).toString('hex')).toBe(EXCEPTION)
  })

  test('that end anywhere within are broken', () => {
    const one = Buffer.from(CHUNK, 'hex')
    for (let cut = 1; cut < one.length; cut++) expect(() => read([one.subarray(0, cut)])).toThrow(BrokenEventStream)
  })

  test('with any bit changed are broken', () => {
    const one = Buffer.from(CHUNK, 'hex')
    for (let at = 0; at < one.length; at++)
      for (let bit = 0; bit < 8; bit++) {
        const changed = Buffer.from(one)
        changed[at] = (changed[at] ?? 0) ^ (1 << bit)
        expect(() => read([changed])).toThrow(BrokenEventStream)
      }
  })
})

test('frames before a broken one are told first', () => {
  const bytes = Buffer.from(EXCEPTION + CHUNK, 'hex')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  const reader = openAmazonEvents(bufferCodec)
  expect(reader.push(bytes).map(shown)).toEqual([EXCEPTION_SHOWN])
  expect(() => reader.push(Buffer.from(EXCEPTION, 'hex'))).toThrow(BrokenEventStream)
  expect(() => reader.end()).toThrow(BrokenEventStream)
})

test('headers of every type are skipped, and text is read', () => {
  const value = (type: number, length: number): HeaderValue => ({ type, value: new Uint8Array(length).fill(9) })
  const bytes = { type: 6, value: Buffer.from([0, 3, 1, 2, 3]) }
  const headers: Record<string, HeaderValue> = {
    yes: value(0, 0),
    no: value(1, 0),
    byte: value(2, 1),
    short: value(3, 2),
    int: value(4, 4),
    long: value(5, 8),
    bytes,
    time: value(8, 8),
    uuid: value(9, 16),
    last: 'wörd',
  }
  expect(read([amazonFrame({ headers, payload: '' })])).toEqual([{ headers: { last: 'wörd' }, payload: '' }])
})

test.each<[string, Buffer]>([
  ['a type that does not exist', amazonFrame({ headers: { x: { type: 10, value: new Uint8Array(0) } }, payload: 'p' })],
  [
    'text that is longer than the headers',
    amazonFrame({ headers: { x: { type: 7, value: Buffer.from([1, 0, 65]) } }, payload: 'p' }),
  ],
  ['a name without a type', amazonFrame({ headers: {}, payload: '\u0003abc' }, { headers: 4 })],
])('a frame with %s in its headers is broken', (_, frame) => {
  expect(() => read([frame])).toThrow('headers of a frame')
})

test.each([
  ['of four gigabytes', { total: 0xffffffff }],
  ['above the limit', { total: MOST_FRAME_BYTES + 1 }],
  ['shorter than an empty one', { total: 15 }],
  ['with more headers than bytes', { headers: 0xffffffff }],
])('a frame %s is broken as soon as its lengths are known', (_, lengths) => {
  const frame = amazonFrame({ headers: {}, payload: 'x' }, lengths)
  const reader = openAmazonEvents(bufferCodec)
  expect(reader.push(frame.subarray(0, 11))).toEqual([])
  expect(() => reader.push(frame.subarray(11, 12))).toThrow('is not possible')
})

test('the largest frame is read', () => {
  const payload = Buffer.alloc(MOST_FRAME_BYTES - 16, 'x')
  const frame = amazonFrame({ headers: {}, payload })
  const reader = openAmazonEvents(bufferCodec)
  let length = 0
  for (let at = 0; at < frame.length; at += 65_536)
    for (const read of reader.push(frame.subarray(at, at + 65_536))) length += read.payload.length
  reader.end()
  expect(length).toBe(payload.length)
})

test('any frames in any pieces are the frames that were written', () => {
  const frames = fc.array(
    fc.record({
      headers: fc.dictionary(fc.stringMatching(/^[a-z:-]{1,20}$/), fc.string({ maxLength: 300 })),
      payload: fc.string({ maxLength: 3_000 }),
    }),
    { maxLength: 6 },
  )
  fc.assert(
    fc.property(frames, fc.infiniteStream(fc.integer({ min: 1, max: 5_000 })), (written, sizes) => {
      const bytes = Buffer.concat(written.map((each) => amazonFrame(each)))
      const pieces: Uint8Array[] = []
      for (let at = 0; at < bytes.length; ) {
        const size = sizes.next().value as number
        pieces.push(bytes.subarray(at, at + size))
        at += size
      }
      const wellFormed = written.map(({ headers, payload }) => ({
        headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.toWellFormed()])),
        payload: payload.toWellFormed(),
      }))
      expect(read(pieces)).toEqual(wellFormed)
    }),
  )
})

test('arbitrary bytes are never anything but broken or incomplete', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 400 }), (bytes) => {
      expect(() => read([bytes])).toThrow(BrokenEventStream)
    }),
  )
  expect(read([chunkFrame(HI)])).toHaveLength(1)
})
