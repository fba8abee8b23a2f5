// Every kind of value that a schema rejects, and the field that is named. TypeBox, which infers types from the schemas, agrees about each.
import { expect, test } from 'bun:test'
import Value from 'typebox/value'
import { type InputError, inputError } from './check.ts'
import {
  always,
  boolean,
  either,
  fields,
  idOf,
  integer,
  list,
  mapOf,
  nullable,
  number,
  optional,
  rule,
  text,
  unknown,
  word,
} from './schema.ts'

const LIMIT = optional(nullable(integer({ min: 1, max: 9 })))
const SCHEMA = fields({
  name: text({ max: 5 }),
  count: optional(integer({ min: 1, max: 9 })),
  color: optional(nullable(word('red', 'blue'))),
  on: optional(boolean()),
  tags: optional(nullable(list(text({ min: 0, max: 3 }), 2))),
  row: optional(idOf('a row')),
  password: optional(rule(text({ max: 9 }), (value) => value.length > 7, 'have 8 characters')),
  limits: optional(fields({ rpm: LIMIT, any: optional(unknown()) })),
})
const KNOWN = ['name', 'count', 'color', 'on', 'tags', 'row', 'password', 'limits']

test.each<[unknown]>([
  [{ name: 'a' }],
  [{ name: 'abcde', count: 9, color: null, on: false, tags: ['abc', ''], row: '7', limits: { any: [1] } }],
  [{ name: 'a', tags: null, color: 'red', password: '12345678', limits: { rpm: null } }],
  [{ name: 'a', tags: [], limits: {} }],
  [{ name: 'a', count: undefined }],
])('%j fits', (value) => {
  expect(inputError(SCHEMA, value)).toBeUndefined()
  expect(Value.Check(SCHEMA, value)).toBe(true)
})

const wrong = (field: string, must: string, isNullable = false): InputError => ({ field, must, isNullable })
const BODY = wrong('', `be a JSON object with ${KNOWN.join(', ')}`)
const NAME = wrong('name', 'be text of 1 to 5 characters')
const COUNT = wrong('count', 'be a whole number from 1 to 9')
const TAGS = wrong('tags', 'be a list of at most 2 entries', true)
const RPM = wrong('limits.rpm', 'be a whole number from 1 to 9', true)

test.each<[unknown, InputError]>([
  [undefined, BODY],
  [null, BODY],
  ['text', BODY],
  [7, BODY],
  [[], BODY],
  [{}, NAME],
  [{ name: '' }, NAME],
  [{ name: 'abcdef' }, NAME],
  [{ name: 1 }, NAME],
  [{ name: null }, NAME],
  [
    { name: 'a', admin: true },
    { field: 'admin', known: KNOWN },
  ],
  [JSON.parse('{ "name": "a", "__proto__": {} }'), { field: '__proto__', known: KNOWN }],
  [
    { name: 'a', constructor: 1 },
    { field: 'constructor', known: KNOWN },
  ],
  [
    { name: 'a', ['x'.repeat(1_000)]: 1 },
    { field: 'x'.repeat(100), known: KNOWN },
  ],
  [{ name: 'a', count: 0 }, COUNT],
  [{ name: 'a', count: 1.5 }, COUNT],
  [{ name: 'a', count: '1' }, COUNT],
  [{ name: 'a', count: null }, COUNT],
  [{ name: 'a', color: 'green' }, wrong('color', 'be one of red, blue', true)],
  [{ name: 'a', on: 1 }, wrong('on', 'be true or false')],
  [{ name: 'a', tags: 'abc' }, TAGS],
  [{ name: 'a', tags: ['a', 'b', 'c'] }, TAGS],
  [{ name: 'a', tags: ['a', 'long'] }, wrong('tags[1]', 'be text of 0 to 3 characters')],
  [{ name: 'a', row: 'x' }, wrong('row', 'be the id of a row')],
  [{ name: 'a', row: 7 }, wrong('row', 'be the id of a row')],
  [{ name: 'a', password: 'short' }, wrong('password', 'have 8 characters')],
  [{ name: 'a', limits: null }, wrong('limits', 'be an object')],
  [{ name: 'a', limits: [] }, wrong('limits', 'be an object')],
  [
    { name: 'a', limits: { rps: 1 } },
    { field: 'limits.rps', known: ['rpm', 'any'] },
  ],
  [{ name: 'a', limits: { rpm: 0 } }, RPM],
  [{ name: 'a', limits: { rpm: '3' } }, RPM],
])('%j is rejected', (value, expected) => {
  expect(inputError(SCHEMA, value)).toEqual(expected)
  expect(Value.Check(SCHEMA, value)).toBe(false)
})

/** JSON can carry it, and a database cannot store it. */
test.each([
  [{ name: 'a\ud800' }, 'name'],
  [{ name: 'a', tags: ['\ud800'] }, 'tags[0]'],
])('half of a pair of code units is rejected: %j', (value, field) => {
  expect(inputError(SCHEMA, value)).toEqual(wrong(field, 'be well-formed text'))
})

test('of several objects, one must fit', () => {
  const schema = either(fields({ ok: always(true) }), fields({ ok: always(false), why: mapOf(number()) }))
  for (const value of [{ ok: true }, { ok: false, why: { a: 1 } }, { ok: false }, { ok: 1 }, {}, null])
    expect(inputError(schema, value) === undefined).toBe(Value.Check(schema, value))
})
