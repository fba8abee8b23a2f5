// The two implementations that skip a value have the same results for everything, and the same errors.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bytesOf, bufferCodec as codec, textOf } from '../../../fixtures/buffer-codec.ts'
import { type JsonMistake, type JsonScan, MEMBER_NOTE, scanObject, scanObjectWith } from './json-scan.ts'
import { MAX_DEPTH, newNested, skipValue, UNLIMITED_VALUES } from './json-skip.ts'
import { LONGEST_TEXT, MEMORY_SIZE, REJECTED, skipModule } from './json-skip-code.ts'
import { loadWasmSkip, wasmSkipFor } from './json-skip-wasm.ts'

/** Everything that can be noted, in some of the fields. */
const watched = new Map([
  ['f0', 4],
  ['f1', 12],
  ['f2', -2],
])
const seeded = { seed: 20261115 }

function scanByWasm(bytes: Uint8Array, maxValues?: number) {
  const skip = loadWasmSkip(bytes)
  if (skip === undefined) throw new Error('this machine has no WebAssembly with vectors')
  return scanObjectWith(skip, bytes, codec, watched, maxValues)
}

/** Names alone, and without what only one of the two implementations checks. */
function comparable(scan: JsonScan | JsonMistake) {
  if (!scan.ok) return scan
  const fields = scan.fields.map((field) => ({ ...field, members: notesOf(field.members) }))
  return { ...scan, fields, stringsAreValid: undefined }
}

function notesOf(members: ArrayLike<number>): number[][] {
  const notes = Array.from({ length: members.length / MEMBER_NOTE }, (_, index) =>
    Array.from(members).slice(index * MEMBER_NOTE, (index + 1) * MEMBER_NOTE),
  )
  return notes.filter(([, , , depth = 0]) => depth < 0)
}

function expectSame(bytes: Uint8Array, maxValues?: number) {
  const scan = scanByWasm(bytes, maxValues)
  expect(comparable(scan)).toEqual(comparable(scanObjectWith(skipValue, bytes, codec, watched, maxValues)))
  if (scan.ok) expect(scan.stringsAreValid).toBe(isJson(bytes))
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(textOf(bytes))
    return true
  } catch {
    return false
  }
}

/** The code by itself: where it rejects, nothing else takes over. */
const memory = new WebAssembly.Memory({ initial: Math.ceil(MEMORY_SIZE / 65_536) })
const instance = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(skipModule())), { host: { memory } })
const codeAlone = instance.exports.skipValue as (at: number, noteDepths: number, valuesLeft: number) => number

function expectSameEnd(text: string) {
  const bytes = bytesOf(text)
  new Uint8Array(memory.buffer).fill(0, 0, bytes.length + 64).set(bytes)
  const end = skipValue(bytes, 0, newNested(UNLIMITED_VALUES))
  const isValid = end >= 0 && isJson(bytes.subarray(0, end))
  expect([text, codeAlone(0, -1, UNLIMITED_VALUES)]).toEqual([text, isValid ? end : REJECTED])
}

// Strings as they are written, so that anything may stand in them: escapes in rows, at the edges of what is looked at.
const piece = fc.constantFrom(
  'a',
  '—',
  '\\"',
  '\\\\',
  '\\n',
  '\\',
  '{',
  ']',
  ':',
  '\u0001',
  'x'.repeat(29),
  '\\u00e9',
  '\\uD83d',
  '\\u12g4',
  '\\x',
  '\n',
  '\t',
)
const content = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.tuple(fc.nat(70), fc.nat(5)).map(([before, slashes]) => `${'y'.repeat(before)}${'\\'.repeat(slashes)}`),
  fc.constantFrom('file', 'image_url', 'text', 'z'.repeat(511), 'z'.repeat(512), '\\\\'.repeat(40)),
)
const string = content.map((text) => `"${text}"`)
const name = fc.oneof(fc.constantFrom('"type"', '"typo"', '"typed"', '"a"'), string)
const primitive = fc.constantFrom(
  ...['0', '-0', '12', '-3.25', '1e5', '1E+7', '2.5e-30', 'true', 'false', 'null'],
  ...['01', '1.', '-', '.5', '1e', '+1', '1e+', 'tru', 'fals', 'nulll', ''],
)
const space = fc.constantFrom('', '', '', ' ', '\n', '\r\n\t', `\n${' '.repeat(15)}`, ' '.repeat(16), ' '.repeat(50))

const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(string, primitive),
    fc
      .array(fc.tuple(space, tie('value'), space), { maxLength: 4 })
      .map((parts) => `[${parts.map((part) => part.join('')).join(',')}]`),
    fc
      .array(fc.tuple(space, name, space, fc.constant(':'), space, tie('value'), space), { maxLength: 4 })
      .map((parts) => `{${parts.map((part) => part.join('')).join(',')}}`),
  ),
}))

const damage = fc.array(
  fc.tuple(fc.nat(), fc.constantFrom(...['"', '\\', '{', '}', '[', ']', ',', ':', '0', '.', 'e', ' ', '\0', ''])),
  { maxLength: 2 },
)

function damaged(text: string, edits: [number, string][]): string {
  for (const [place, letter] of edits) {
    const at = place % (text.length + 1)
    text = text.slice(0, at) + letter + text.slice(at + 1)
  }
  return text
}

describe('both implementations', () => {
  test('any value, whole or damaged, ends at the same place or is rejected', () => {
    fc.assert(
      fc.property(value, damage, (text, edits) => {
        expectSameEnd(text)
        expectSameEnd(damaged(text, edits))
      }),
      { ...seeded, numRuns: 3000 },
    )
  })

  test('any object, complete, damaged or cut off, has the same scan or the same error', () => {
    const members = fc.array(fc.tuple(space, value, space), { maxLength: 5 })
    fc.assert(
      fc.property(members, damage, fc.nat(), (values, edits, cut) => {
        const text = `{${values.map(([before, text, behind], index) => `"f${index}":${before}${text}${behind}`).join(',')}}`
        const bytes = bytesOf(damaged(text, edits))
        expectSame(bytes)
        expectSame(bytes, cut % 20)
        expectSame(bytes.subarray(0, cut % (bytes.length + 1)))
      }),
      { ...seeded, numRuns: 2000 },
    )
  })

  test('escapes and ends of strings at every place of what is looked at together', () => {
    for (let before = 0; before < 70; before++)
      for (const middle of [
        '',
        '\\"',
        '\\\\',
        '\\\\\\"',
        '\\"\\"',
        '\\\\\\\\',
        'é\\n',
        '\\u0041',
        '\\u00"1',
        '\\u',
        '\0',
        '\\\0',
      ])
        for (const end of ['"', '\\"', '']) expectSameEnd(`["${'x'.repeat(before)}${middle}${end},"","\\"",1]`)
  })

  test('nesting up to the limit and beyond it', () => {
    for (const depth of [MAX_DEPTH - 1, MAX_DEPTH, MAX_DEPTH + 1, 100_000])
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":[', ']}'],
        ['[', '}'],
      ] as const) {
        const count = Math.ceil(depth / (open.length > 1 ? 2 : 1))
        expectSameEnd(`${open.repeat(count)}${close.repeat(count)}`)
      }
  })

  test('more names than can be noted are found nevertheless', () => {
    const members = Array.from({ length: 20_000 }, () => ({ type: 'file' }))
    const bytes = bytesOf(JSON.stringify({ f0: members, one: { type: 'image_url', data: 'x'.repeat(600) } }))
    const [scan, other] = [scanByWasm(bytes), scanObjectWith(skipValue, bytes, codec, watched)]
    if (!scan.ok || !other.ok) throw new Error('no JSON')
    expect(Array.from(scan.fields[0]?.members ?? [])).toEqual(Array.from(other.fields[0]?.members ?? []))
    expect(scan).toMatchObject({ longStrings: [{}], fields: [{ members: { length: 20_000 * MEMBER_NOTE } }, {}] })
  })

  test('nothing of the body before is taken for a part of this one', () => {
    const whole = bytesOf(JSON.stringify({ a: ['x'.repeat(100)], b: 12345 }))
    for (let length = 0; length < whole.length; length++) {
      scanByWasm(whole)
      expect(scanByWasm(whole.subarray(0, length)).ok).toBe(false)
    }
  })
})

describe('the body decides which scanner reads it', () => {
  const tool = { type: 'function', function: { name: 'read', description: 'Say "no" \\ then\ngo.' } }
  const body = (more: object) =>
    bytesOf(JSON.stringify({ model: 'm', tools: Array.from({ length: 100 }, () => tool), ...more }))

  test('large ones by WebAssembly, but not small ones, nor those that are mostly one string', () => {
    expect(wasmSkipFor(body({}))).toBeDefined()
    expect(wasmSkipFor(bytesOf(JSON.stringify({ tools: [tool] })))).toBeUndefined()
    expect(wasmSkipFor(body({ image: 'A'.repeat(100_000) }))).toBeUndefined()
  })

  test('those beyond its memory are not copied there', () => {
    const large = new Uint8Array(LONGEST_TEXT + 1).fill(0x22)
    expect(wasmSkipFor(large)).toBeUndefined()
    expect(wasmSkipFor(large.subarray(1))).toBeDefined()
  })

  test('a large body has the fields that JSON.parse reads', () => {
    fc.assert(
      fc.property(
        fc.array(fc.json({ maxDepth: 4 }), { maxLength: 20 }),
        fc.constantFrom(0, 1, '\t'),
        (values, indent) => {
          const given = Object.fromEntries(values.map((text, index) => [`f${index}`, JSON.parse(text)]))
          const bytes = bytesOf(
            JSON.stringify({ ...given, tools: Array.from({ length: 60 }, () => tool) }, null, indent),
          )
          expect(wasmSkipFor(bytes)).toBeDefined()
          const result = scanObject(bytes, codec)
          if (!result.ok) throw new Error(result.message)
          const read = result.fields.map(({ name, start, end }) => [
            name,
            JSON.parse(textOf(bytes.subarray(start, end))),
          ])
          expect(Object.fromEntries(read)).toEqual(JSON.parse(textOf(bytes)))
          for (const { start, end, kind, count } of result.fields) {
            const value: unknown = JSON.parse(textOf(bytes.subarray(start, end)))
            if (kind === 'array' || kind === 'object') expect(count).toBe(Object.keys(value as object).length)
          }
        },
      ),
      { ...seeded, numRuns: 300 },
    )
  })

  test('an error deep in a large body is named like one in a small one', () => {
    const text = textOf(body({}))
    const at = text.lastIndexOf('"description"')
    const result = scanObject(bytesOf(`${text.slice(0, at)}x${text.slice(at + 1)}`), codec)
    expect(result).toEqual({
      ok: false,
      message: 'has a mistake in tools: it expects a member name in double quotes',
      offset: at,
      field: 'tools',
    })
  })
})
