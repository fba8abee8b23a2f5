import { describe, expect, test } from 'bun:test'
import { fromSchema } from './decode-schema.ts'
import { ownSchema } from './encode-openapi-schema.ts'
import { parametersSchema, vendorSchema } from './encode-schema.ts'

const CASES: [name: string, given: object, written: object][] = [
  [
    'annotations',
    { $schema: 's', $comment: 'c', default: 1, examples: [1], strict: true, type: 'string' },
    { type: 'string' },
  ],
  ['types in capitals', { type: 'STRING' }, { type: 'string' }],
  ['const', { const: 'x' }, { enum: ['x'] }],
  ['oneOf', { oneOf: [{ type: 'string' }, { const: 1 }] }, { anyOf: [{ type: 'string' }, { enum: [1] }] }],
  [
    'additionalProperties',
    { type: 'object', additionalProperties: false },
    { type: 'object', additionalProperties: false },
  ],
  [
    'additionalProperties with a schema',
    { additionalProperties: { const: 1 } },
    { additionalProperties: { enum: [1] } },
  ],
  [
    'a type or null',
    { type: ['string', 'null'], description: 'D', enum: ['a', null] },
    { description: 'D', anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] },
  ],
  [
    'several types',
    { type: ['string', 'integer'], minimum: 2 },
    {
      anyOf: [
        { type: 'string', minimum: 2 },
        { type: 'integer', minimum: 2 },
      ],
    },
  ],
  ['a list of one type', { type: ['string'], title: 'T' }, { title: 'T', type: 'string' }],
  ['nullable', { type: 'string', nullable: true }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ['shorthand properties', { properties: { a: 'string', b: true } }, { properties: { a: { type: 'string' }, b: {} } }],
  [
    'a property named like a keyword',
    { properties: { pattern: { type: 'string' }, default: {} } },
    { properties: { pattern: { type: 'string' }, default: {} } },
  ],
  [
    'definitions',
    { $ref: '#/definitions/a', definitions: { a: { type: 'string', default: 1 } } },
    { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } },
  ],
  [
    'what stands beside a reference',
    { properties: { a: { $ref: '#/$defs/a', description: 'D' } } },
    { properties: { a: { $ref: '#/$defs/a' } } },
  ],
  [
    'a schema that holds itself',
    { $defs: { n: { properties: { next: { $ref: '#/$defs/n' } } } }, $ref: '#/$defs/n' },
    { $ref: '#/$defs/n', $defs: { n: { properties: { next: { $ref: '#/$defs/n' } } } } },
  ],
  [
    'allOf',
    {
      allOf: [{ type: 'object', properties: { a: { const: 1 } }, required: ['a'] }, { $ref: '#/$defs/b' }],
      $defs: { b: { properties: { b: {} }, required: ['b'] } },
    },
    {
      type: 'object',
      properties: { a: { enum: [1] }, b: {} },
      required: ['a', 'b'],
      $defs: { b: { properties: { b: {} }, required: ['b'] } },
    },
  ],
  [
    'allOf of one reference',
    { properties: { a: { allOf: [{ $ref: '#/$defs/a' }], default: 1 } } },
    { properties: { a: { $ref: '#/$defs/a' } } },
  ],
  [
    'exclusive bounds',
    { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 9 },
    { type: 'integer', minimum: 1, maximum: 8 },
  ],
  ['tuples of old', { items: [{ type: 'string' }] }, { prefixItems: [{ type: 'string' }] }],
]

const LOSSY: [name: string, given: object, written: object][] = [
  ['limits it does not know', { type: 'string', pattern: 'x', minLength: 2 }, { type: 'string' }],
  ['lists without repetition', { type: 'array', uniqueItems: true }, { type: 'array' }],
  ['conditions', { if: {}, else: {}, not: {} }, {}],
]

function written(given: object) {
  let lost = 0
  const schema = vendorSchema({ ...given }, () => lost++)
  return { schema, isLossy: lost > 0 }
}

test.each(CASES)('%s', (_, given, schema) => {
  expect(written(given) as object).toEqual({ schema, isLossy: false })
})

test.each(LOSSY)('left out and reported: %s', (_, given, schema) => {
  expect(written(given) as object).toEqual({ schema, isLossy: true })
})

describe('parameters are an object', () => {
  const PARAMETERS: [given: object, written: object][] = [
    [{}, { type: 'object' }],
    [{ properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    [
      { $ref: '#/$defs/a', $defs: {} },
      { $ref: '#/$defs/a', $defs: {} },
    ],
  ]
  test.each(PARAMETERS)('%j', (given, written) => {
    expect(parametersSchema({ ...given }, () => {})).toEqual(written as Record<string, unknown>)
  })
})

test('names that are dangerous elsewhere are names', () => {
  const given = JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}')
  expect(JSON.stringify(vendorSchema(given, () => {}))).toBe(JSON.stringify(given))
  expect(JSON.stringify(fromSchema(given, 'p'))).toBe(JSON.stringify(given))
})

test('a schema of any depth is an answer, not a crash', () => {
  let deep: object = { type: 'string' }
  for (let depth = 0; depth < 10_000; depth++) deep = { items: deep }
  expect(JSON.stringify(vendorSchema({ ...deep }, () => {})).length).toBeLessThan(2_000)
  expect(() => fromSchema(deep, 'p')).toThrow('nested too deeply')
})

test('references that double at every step do not grow without end', () => {
  const twice = (name: string) => ({ $ref: `#/$defs/${name}` })
  const all: Record<string, object> = { d30: { type: 'string' } }
  const properties: Record<string, object> = { d30: { type: 'string' } }
  for (let step = 0; step < 30; step++) {
    const next = `d${step + 1}`
    all[`d${step}`] = { allOf: [twice(next), twice(next)] }
    properties[`d${step}`] = { type: 'object', properties: { a: twice(next), b: twice(next) } }
  }
  expect(JSON.stringify(vendorSchema({ allOf: [twice('d0'), twice('d0')], $defs: all }, () => {})).length).toBeLessThan(
    1e6,
  )
  expect(() => ownSchema({ $ref: '#/$defs/d0', $defs: properties }, () => {})).toThrow('too large')
})

const READ: [given: object, read: object][] = [
  [
    { type: 'STRING', nullable: true, enum: ['a'] },
    { type: ['string', 'null'], enum: ['a', null] },
  ],
  [{ anyOf: [{ type: 'STRING' }], nullable: true }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  [{ type: 'TYPE_UNSPECIFIED', example: 3, format: 'enum' }, { examples: [3] }],
  [
    { type: 'STRING', max_length: '12', format: 'date' },
    { type: 'string', maxLength: 12, format: 'date' },
  ],
  [
    { type: 'OBJECT', properties: { max_length: { type: 'STRING' } } },
    { type: 'object', properties: { max_length: { type: 'string' } } },
  ],
]
test.each(READ)('read: %j', (given, read) => expect(fromSchema(given, 'p')).toEqual(read as Record<string, unknown>))
