import { describe, expect, test } from 'bun:test'
import { misfits } from '../../test-support/schema.ts'
import { sampleOf } from './schema-sample.ts'

const text = { type: 'string' }
const person = { type: 'object', properties: { name: text, age: { type: 'integer' } }, required: ['name', 'age'] }

const SCHEMAS: Record<string, object> = {
  string: text,
  'short string': { type: 'string', maxLength: 3 },
  'no room for a string': { type: 'string', maxLength: 0 },
  'long string': { type: 'string', minLength: 30, maxLength: 30 },
  integer: { type: 'integer' },
  'integer above': { type: 'integer', minimum: 10 },
  'integer below': { type: 'integer', maximum: -3 },
  'integer strictly between': { type: 'integer', exclusiveMinimum: 4, exclusiveMaximum: 6 },
  'number strictly between': { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.01 },
  'number above 0': { type: 'number', exclusiveMinimum: 0 },
  'multiple of 7': { type: 'integer', multipleOf: 7, minimum: 15 },
  'multiple of a quarter': { type: 'number', multipleOf: 0.25, maximum: 0.5, minimum: 0.3 },
  'negative range': { type: 'number', minimum: -5, maximum: -4 },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  enum: { enum: ['red', 'green'] },
  const: { const: { fixed: [1] } },
  object: person,
  closed: { ...person, additionalProperties: false },
  nested: {
    type: 'object',
    properties: { who: person, list: { type: 'array', items: person } },
    required: ['who', 'list'],
  },
  'required without a property': { type: 'object', required: ['anything'] },
  'at least two properties': { type: 'object', additionalProperties: { type: 'number' }, minProperties: 2 },
  'property called __proto__': {
    type: 'object',
    properties: JSON.parse('{"__proto__":{"type":"string"}}'),
    required: ['__proto__'],
  },
  array: { type: 'array', items: text },
  'array of three': { type: 'array', items: { type: 'number' }, minItems: 3 },
  'array of none': { type: 'array', items: text, maxItems: 0 },
  'different strings': { type: 'array', items: text, minItems: 4, uniqueItems: true },
  'different choices': { type: 'array', items: { enum: ['a', 'b', 'c'] }, minItems: 3, uniqueItems: true },
  'different objects': { type: 'array', items: person, minItems: 3, uniqueItems: true },
  tuple: { type: 'array', prefixItems: [text, { type: 'integer' }], items: false, minItems: 2 },
  anyOf: { anyOf: [{ type: 'integer' }, text] },
  oneOf: { oneOf: [person, text] },
  allOf: { allOf: [person, { type: 'object', properties: { extra: text }, required: ['extra'] }] },
  'allOf of required lists': { type: 'object', allOf: [{ required: ['a'] }, { required: ['b'] }] },
  'anyOf beside properties': { ...person, anyOf: [{ required: ['nick'], properties: { nick: text } }] },
  'list of types': { type: ['string', 'null'] },
  nullable: { type: 'string', nullable: true },
  'types in capitals': { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['a'] },
  'no type': { properties: { a: text }, required: ['a'] },
  '$ref to $defs': {
    $defs: { person },
    type: 'object',
    properties: { p: { $ref: '#/$defs/person' } },
    required: ['p'],
  },
  '$ref to definitions': { definitions: { 'a/b': person }, $ref: '#/definitions/a~1b' },
  '$ref within allOf': {
    $defs: { person },
    allOf: [{ $ref: '#/$defs/person' }, { required: ['x'], properties: { x: text } }],
  },
  'recursive, optional': { type: 'object', properties: { value: text, child: { $ref: '#' } }, required: ['value'] },
  'recursive, null ends it': {
    type: 'object',
    properties: { value: text, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    required: ['value', 'next'],
    additionalProperties: false,
  },
  'recursive list': {
    type: 'object',
    properties: { children: { type: 'array', items: { $ref: '#' } } },
    required: ['children'],
  },
  anything: {},
  ...Object.fromEntries(
    ['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid', 'uri'].map((format) => [
      `format ${format}`,
      { type: 'array', items: { type: 'string', format }, minItems: 2, uniqueItems: true },
    ]),
  ),
}

describe('a sample fits its schema', () => {
  test.each(Object.entries(SCHEMAS))('%s', (_, schema) => {
    const sample = sampleOf(schema)
    expect(misfits(schema, JSON.parse(JSON.stringify(sample)))).toEqual([])
    expect(sampleOf(schema)).toEqual(sample)
  })
})

test('the check itself finds invalid values', () => {
  expect(misfits(person, { name: 1 })).toEqual(['$.name: not a string', '$.age: missing'])
  expect(misfits(SCHEMAS['different strings'] ?? {}, ['a', 'a', 'b', 'c'])).toEqual(['$: repeats itself'])
  expect(misfits({ type: 'string', format: 'uuid' }, 'x')).toEqual(['$: not a uuid'])
})

test.each([
  ['refers to itself', { $ref: '#' }],
  ['refers to nothing', { $ref: '#/nowhere' }],
  ['requires itself', { type: 'object', properties: { a: { $ref: '#' } }, required: ['a'] }],
  [
    'multiplies itself',
    {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`p${index}`, { $ref: '#' }])),
      required: Array.from({ length: 30 }, (_, index) => `p${index}`),
    },
  ],
  ['asks for a billion items', { type: 'array', items: text, minItems: 1_000_000_000 }],
  ['asks for a huge string', { type: 'string', minLength: 1_000_000_000 }],
  ['is no schema at all', 'nonsense'],
  ['has keywords of wrong types', { type: 5, properties: 'x', required: 'y', items: 3, enum: [], anyOf: [] }],
])('a schema that %s gets a value of bounded size', (_, schema) => {
  expect(JSON.stringify(sampleOf(schema)).length).toBeLessThan(1_000_000)
})
