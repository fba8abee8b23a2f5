// However a body is cut into pieces, and whatever is wrong with it, the result is the same.
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { bodyOf, field, file, LIMITS, latin1, outcomeOf, type TestPart } from '../../test-support/multipart.ts'
import { readMultipart } from './read-multipart.ts'

/** Texts with much of what delimiters consist of. */
const tricky = fc.array(
  fc.constantFrom('\r', '\n', '-', '--', 'b', '\r\n', '\r\n--', '\r\n--b', ' ', 'x', '\xff', '\0'),
  {
    maxLength: 12,
  },
)
const content = tricky.map((pieces) => `${pieces.join('')}`)
/** A delimiter within a content would be one. */
const isContent = (text: string) => !/\r\n--b(--)?[ \t]*\r\n/.test(`\r\n${text}\r\n`)
const part: fc.Arbitrary<TestPart> = fc
  .record({ name: fc.constantFrom('image', 'mask'), content: content.filter(isContent) })
  .map(({ name, content }) => file(name, 'a.png', content))
const textPart = fc.string({ maxLength: 20 }).map((text) => field('prompt', Buffer.from(text).toString('latin1')))
const form = fc.array(fc.oneof(part, textPart), { maxLength: 5 }).map((parts) => ({ parts, body: bodyOf(parts) }))

function cut(body: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0, index = 0; at < body.length; index++) {
    const size = sizes[index % sizes.length] ?? 1
    pieces.push(Buffer.from(body.subarray(at, at + size)))
    at += size
  }
  return pieces
}
const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })

test('what was sent is what is read, however it is cut', async () => {
  await fc.assert(
    fc.asyncProperty(form, cuts, async ({ parts, body }, sizes) => {
      const read = await outcomeOf(cut(body, sizes))
      if (!('fields' in read)) throw new Error(read.message)
      const files = parts.filter(({ head }) => head.includes('filename'))
      expect(read.files.map(({ stored }) => stored)).toEqual(files.map(({ content }) => content))
      expect(read.fields.map(({ value }) => Buffer.from(value).toString('latin1'))).toEqual(
        parts.filter((each) => !files.includes(each)).map(({ content }) => content),
      )
    }),
    { numRuns: 300 },
  )
})

test('a damaged body has one outcome, however it is cut, and never another error', async () => {
  const damage = fc.record({ at: fc.nat(), remove: fc.nat(9), insert: tricky, keep: fc.nat() })
  const limits = { fileBytes: 20, fieldBytes: 10, headerBytes: 90, parts: 3, bodyBytes: 300 }
  const codes = new Set<string>()
  await fc.assert(
    fc.asyncProperty(form, damage, cuts, fc.boolean(), async ({ body }, { at, remove, insert, keep }, sizes, isCut) => {
      const place = at % body.length
      const damaged = Buffer.concat([body.subarray(0, place), latin1(insert.join('')), body.subarray(place + remove)])
      const sent = isCut ? damaged.subarray(0, keep % (damaged.length + 1)) : damaged
      const whole = await outcomeOf([sent], undefined, limits)
      codes.add('fields' in whole ? 'read' : (whole.code ?? whole.message))
      for (const pieces of [cut(sent, sizes), cut(sent, [1])]) {
        expect(await outcomeOf(pieces, undefined, limits)).toEqual(whole)
      }
    }),
    { numRuns: 500 },
  )
  const known = ['body_too_large', 'field_too_large', 'file_too_large', 'malformed', 'part_header_too_large', 'read']
  expect([...codes].filter((code) => ![...known, 'too_many_parts'].includes(code))).toEqual([])
  expect(codes.size).toBeGreaterThan(3)
})

test('random bytes are malformed, whatever they are', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
      expect(await outcomeOf([bytes])).toMatchObject({ code: 'malformed' })
    }),
  )
})

test('while a file is written nothing more is read, and little is held back', async () => {
  const pieces = cut(bodyOf([file('f', 'f', 'x'.repeat(9_000))]), [1_000])
  let [read, written, most] = [0, 0, 0]
  let isWriting = false
  const source = {
    read() {
      expect(isWriting).toBe(false)
      read += pieces[0]?.length ?? 0
      return pieces.shift()
    },
  }
  const sink = {
    open: () => ({
      async write(bytes: Uint8Array) {
        isWriting = true
        await Bun.sleep(1)
        written += bytes.length
        most = Math.max(most, read - written)
        isWriting = false
      },
      end: () => undefined,
    }),
  }
  await readMultipart(source, 'multipart/form-data; boundary=b', LIMITS, sink)
  expect([written, most < 300]).toEqual([9_000, true])
})
