// Every kind of value that a schema rejects, and the field that the message names.
import { expect, test } from 'bun:test'
import { anything, boolean, fields, integer, list, NOTHING, nullable, optional, text, word } from './fields.ts'
import { ConsoleRejection } from './rejection.ts'
import { shaped } from './shape.ts'

const CHECK = fields({
  name: text({ max: 5 }),
  count: optional(integer({ min: 1, max: 9 })),
  color: optional(nullable(word('red', 'blue'))),
  on: optional(boolean),
  tags: optional(list(text({ max: 3 }), 2)),
  inner: optional(fields({ a: text({ max: 3 }), b: optional(anything) })),
})

function errorOf(value: unknown): string {
  try {
    CHECK(value, '')
  } catch (error) {
    if (error instanceof ConsoleRejection) return `${error.error.param ?? '-'}: ${error.error.message}`
  }
  return 'no error'
}

test.each<[string, unknown]>([
  ['the least', { name: 'a' }],
  [
    'everything',
    { name: 'abcde', count: 9, color: null, on: false, tags: ['abc', 'd'], inner: { a: 'x', b: { c: [1] } } },
  ],
])('accepted as it is: %s', (_, value) => {
  expect(CHECK(value, '')).toEqual(value as never)
})

const ALL = 'name, count, color, on, tags, inner'
test.each<[unknown, string]>([
  [undefined, `-: The body must be a JSON object with ${ALL}.`],
  [null, '-: The body must be a JSON object'],
  ['text', '-: The body must be a JSON object'],
  [[], '-: The body must be a JSON object'],
  [{}, 'name: name must be text of 1 to 5 characters.'],
  [{ name: '' }, 'name: '],
  [{ name: 'abcdef' }, 'name: '],
  [{ name: '\ud800' }, 'name: '],
  [{ name: 1 }, 'name: '],
  [{ name: null }, 'name: '],
  [{ name: 'a', admin: true }, `admin: Unknown field 'admin'. The request takes ${ALL}.`],
  [JSON.parse('{ "name": "a", "__proto__": {} }'), "__proto__: Unknown field '__proto__'."],
  [{ name: 'a', constructor: 1 }, 'constructor: Unknown field'],
  [{ name: 'a', ['x'.repeat(1_000)]: 1 }, `${'x'.repeat(100)}: Unknown field '${'x'.repeat(100)}'.`],
  [{ name: 'a', count: 0 }, 'count: count must be a whole number from 1 to 9.'],
  [{ name: 'a', count: 1.5 }, 'count: '],
  [{ name: 'a', count: '1' }, 'count: '],
  [{ name: 'a', count: null }, 'count: '],
  [{ name: 'a', color: 'green' }, 'color: color must be one of red, blue.'],
  [{ name: 'a', on: 1 }, 'on: on must be true or false.'],
  [{ name: 'a', tags: 'abc' }, 'tags: tags must be a list of at most 2 entries.'],
  [{ name: 'a', tags: ['a', 'b', 'c'] }, 'tags: '],
  [{ name: 'a', tags: ['a', 'long'] }, 'tags[1]: tags[1] must be text'],
  [{ name: 'a', inner: null }, 'inner: inner must be an object.'],
  [{ name: 'a', inner: { a: 'x', c: 1 } }, "inner.c: Unknown field 'inner.c'. The request takes a, b."],
])('rejected: %j', (value, expected) => {
  expect(errorOf(value)).toStartWith(expected)
})

test('a route that takes nothing', () => {
  expect(NOTHING({}, '')).toEqual({})
  expect(() => NOTHING({ a: 1 }, '')).toThrow("Unknown field 'a'. The request takes no fields.")
})

test('a response has the fields of its shape alone', () => {
  const shape = { a: true, list: [{ b: true }], inner: { c: true }, any: true, absent: true, none: { x: true } }
  const value = {
    a: 1,
    list: [{ b: 2, secret: 1 }],
    inner: { c: 3, secret: 1 },
    any: { z: [1] },
    none: null,
    secret: 1,
  }
  expect(shaped(value, shape)).toEqual({ a: 1, list: [{ b: 2 }], inner: { c: 3 }, any: { z: [1] }, none: null })
  expect(shaped([{ b: 1, secret: 2 }], [{ b: true }])).toEqual([{ b: 1 }])
})
