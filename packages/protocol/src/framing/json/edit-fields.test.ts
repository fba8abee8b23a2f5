import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { bufferCodec, bytesOf, textOf, textOfPieces } from '../../../fixtures/buffer-codec.ts'
import { editElements, editFields, type FieldEdits, setField } from './edit-fields.ts'
import { scanObject } from './json-scan.ts'

/** Enough to make a body large: such a one is not put together again. */
const PADDING = ' '.repeat(2_000)

function edit(json: string, set: Record<string, string>, remove: string[] = []): string {
  const edited = editOne(json, set, remove)
  expect(editOne(json + PADDING, set, remove)).toBe(edited + PADDING)
  return edited
}

function editOne(json: string, set: Record<string, string>, remove: string[]): string {
  const bytes = bytesOf(json)
  const scan = scanObject(bytes, bufferCodec)
  if (!scan.ok) throw new Error(scan.message)
  const edits: FieldEdits = { set: [], remove }
  for (const [name, json] of Object.entries(set)) setField(edits, name, json)
  return textOfPieces(editFields(bytes, scan, edits, bufferCodec))
}

describe('only what must change changes', () => {
  test.each<[string, string, Record<string, string>, string[], string]>([
    ['replaces', ' { "a" : 1 ,\n"b": 2.0 } ', { a: '"x"' }, [], ' { "a" : "x" ,\n"b": 2.0 } '],
    ['adds behind the last', '{"a":1 }', { b: '{}', c: '[]' }, [], '{"a":1,"b":{},"c":[] }'],
    ['adds to an empty object', '{ }', { b: '1' }, [], '{ "b":1}'],
    ['removes the first', '{ "a":1, "b":2 }', {}, ['a'], '{ "b":2 }'],
    ['removes the middle', '{"a":1, "b":2, "c":3}', {}, ['b'], '{"a":1, "c":3}'],
    ['removes the last', '{"a":1, "b":2 }', {}, ['b'], '{"a":1 }'],
    ['removes neighbours', '{"a":1,"b":2,"c":3,"d":4}', {}, ['b', 'c'], '{"a":1,"d":4}'],
    ['removes all', '{ "a":1, "b":2 }', {}, ['a', 'b'], '{  }'],
    ['removes all and adds', '{ "a":1, "b":2 }', { c: '3' }, ['a', 'b'], '{ "c":3 }'],
    ['removes the last and adds', '{"a":1,"b":2}', { c: '3' }, ['b'], '{"a":1,"c":3}'],
    ['removes what is not there', '{"a":1}', {}, ['z'], '{"a":1}'],
    ['sets what is also removed', '{"a":1}', { a: '2' }, ['a'], '{"a":2}'],
    ['sees through escaped names', '{"\\u0061":1,"b":2}', { a: '3' }, [], '{"\\u0061":3,"b":2}'],
    ['leaves nested names alone', '{"n":{"a":1},"a":1}', {}, ['a'], '{"n":{"a":1}}'],
  ])('%s', (_, json, set, remove, expected) => {
    expect(edit(json, set, remove)).toBe(expected)
  })

  test('gives the same array when nothing changes', () => {
    const bytes = bytesOf('{"a":1}')
    const scan = scanObject(bytes, bufferCodec)
    if (!scan.ok) throw new Error(scan.message)
    const pieces = editFields(bytes, scan, { set: [], remove: ['b'] }, bufferCodec)
    expect(pieces).toHaveLength(1)
    expect(pieces[0]).toBe(bytes)
  })
})

test('nothing of a large body is copied', () => {
  const bytes = bytesOf(`{"a":1,"b":2}${PADDING}`)
  const scan = scanObject(bytes, bufferCodec)
  if (!scan.ok) throw new Error(scan.message)
  const [before, , after] = editFields(bytes, scan, { set: [{ name: 'a', json: '3' }], remove: [] }, bufferCodec)
  expect(before?.buffer).toBe(bytes.buffer)
  expect(after?.buffer).toBe(bytes.buffer)
})

test('of two values for one field the later holds, in the place of the first', () => {
  const edits: FieldEdits = { set: [], remove: [] }
  for (const [name, json] of [
    ['b', '1'],
    ['c', '2'],
    ['b', '3'],
  ] as const)
    setField(edits, name, json)
  const bytes = bytesOf('{"a":0}')
  const scan = scanObject(bytes, bufferCodec)
  if (!scan.ok) throw new Error(scan.message)
  expect(textOfPieces(editFields(bytes, scan, edits, bufferCodec))).toBe('{"a":0,"b":3,"c":2}')
})

test('parses to what the same edits on the parsed object give', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e f', 'ü')
  const object = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
  const indent = fc.constantFrom(undefined, 1, '\t')
  fc.assert(
    fc.property(object, object, fc.array(name), indent, (before, set, remove, space) => {
      const texts = Object.fromEntries(Object.entries(set).map(([key, value]) => [key, JSON.stringify(value)]))
      const after = edit(JSON.stringify(before, null, space), texts, remove)
      const expected = { ...before }
      for (const key of remove) delete expected[key]
      for (const [key, text] of Object.entries(texts)) expected[key] = JSON.parse(text)
      expect(JSON.parse(after)).toEqual(JSON.parse(JSON.stringify(expected)))
    }),
  )
})

test('elements of an array are removed, the others keep their bytes', () => {
  const json = '[ {"a":"],\\"[" } ,2.0,[],\t"x,y" ]'
  const without = (...dropped: number[]) => {
    const bytes = bytesOf(`{"t":${json}}`)
    return textOf(
      editElements(bytes, { start: 5, end: bytes.length - 1 }, (index, element) =>
        dropped.includes(index) ? undefined : element,
      ),
    )
  }
  expect(without()).toBe(json)
  expect(without(0)).toBe('[2.0,[],\t"x,y" ]')
  expect(without(1, 2)).toBe('[ {"a":"],\\"[" } ,\t"x,y" ]')
  expect(without(0, 1, 2, 3)).toBe('[]')
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ maxDepth: 2 })),
      fc.constantFrom(undefined, 2),
      fc.nat(5),
      (values, space, dropped) => {
        const bytes = bytesOf(JSON.stringify(values, null, space))
        const kept = textOf(
          editElements(bytes, { start: 0, end: bytes.length }, (index, element) =>
            index === dropped ? undefined : element,
          ),
        )
        expect(JSON.parse(kept)).toEqual(JSON.parse(JSON.stringify(values.filter((_, index) => index !== dropped))))
      },
    ),
  )
})
