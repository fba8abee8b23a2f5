// Every kind of value that a schema rejects, and the field that the message names; and what a response may carry.
import { describe, expect, test } from 'bun:test'
import { checkerOf, queryCheckerOf } from './check.ts'
import { pickerOf } from './pick-output.ts'
import { ConsoleRejection } from './rejection.ts'
import {
  always,
  boolean,
  either,
  fields,
  idOf,
  integer,
  list,
  listOf,
  mapOf,
  NOTHING,
  nullable,
  number,
  optional,
  text,
  unknown,
  word,
} from './routes/schema.ts'

const check = checkerOf(
  fields({
    name: text({ max: 5 }),
    count: optional(integer({ min: 1, max: 9 })),
    color: optional(nullable(word('red', 'blue'))),
    on: optional(boolean()),
    tags: optional(list(text({ max: 3 }), 2)),
    inner: optional(fields({ a: text({ max: 3 }), b: optional(unknown()) })),
  }),
)

function errorOf(value: unknown): string {
  try {
    check(value)
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
  expect<unknown>(check(value)).toEqual(value)
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
  expect(checkerOf(NOTHING)({})).toEqual({})
  expect(() => checkerOf(NOTHING)({ a: 1 })).toThrow("Unknown field 'a'. The request takes no fields.")
})

describe('a query', () => {
  const read = queryCheckerOf(fields({ state: optional(word('on', 'off')), before: optional(idOf('a key')) }))

  test.each([
    ['', {}],
    ['state=on&before=7', { state: 'on', before: '7' }],
    ['state=on&state=maybe&other=1', { state: 'on' }],
  ])('%p: the parameters that are known, the first of each', (written, expected) => {
    expect<unknown>(read(new URLSearchParams(written))).toEqual(expected)
  })

  test.each([
    ['state=maybe', 'state must be one of on, off.'],
    ['state=', 'state must be one of on, off.'],
    ['before=x', 'before must be the id of a key.'],
  ])('%p is rejected', (written, message) => {
    expect(() => read(new URLSearchParams(written))).toThrow(message)
  })
})

describe('a response has the fields of its schema alone', () => {
  const nested = fields({
    a: number(),
    list: listOf(fields({ b: number() })),
    inner: fields({ c: number() }),
    any: mapOf(unknown()),
    absent: optional(number()),
    none: nullable(fields({ x: number() })),
  })
  const shown = { a: 1, list: [{ b: 2 }], inner: { c: 3 }, any: { z: [1] }, none: null }
  const eitherOf = either(fields({ ok: always(true) }), fields({ ok: always(false), why: number() }))
  test.each<[string, Parameters<typeof pickerOf>[0], unknown, unknown]>([
    ['nested', nested, { ...shown, list: [{ b: 2, secret: 1 }], inner: { c: 3, secret: 1 }, secret: 1 }, shown],
    ['a list', listOf(fields({ b: number() })), [{ b: 1, secret: 2 }], [{ b: 1 }]],
    ['the first of two', eitherOf, { ok: true, secret: 1 }, { ok: true }],
    ['the second of two', eitherOf, { ok: false, why: 1, secret: 1 }, { ok: false, why: 1 }],
    ['one that is there', nullable(fields({ x: number() })), { x: 1, secret: 1 }, { x: 1 }],
  ])('%s', (_, schema, value, expected) => {
    expect(pickerOf(schema)(value)).toEqual(expected)
  })
})
