import { expect, test } from 'bun:test'
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema'
import { narrowedSchema } from './encode-schema.ts'

test.each<[what: string, given: Record<string, unknown>, expected: Record<string, unknown>]>([
  [
    'objects are closed, deep down too',
    { type: 'object', properties: { a: { type: 'object', properties: {} } }, additionalProperties: true },
    {
      type: 'object',
      properties: { a: { type: 'object', properties: {}, additionalProperties: false } },
      additionalProperties: false,
    },
  ],
  [
    'oneOf is anyOf',
    { oneOf: [{ type: 'string', pattern: '^a' }, { type: 'null' }] },
    { anyOf: [{ type: 'string', description: '{"pattern":"^a"}' }, { type: 'null' }] },
  ],
  ['formats that are known', { type: 'string', format: 'date' }, { type: 'string', format: 'date' }],
  [
    'formats that are not',
    { type: 'string', format: 'sea-mile', description: 'Far.' },
    { type: 'string', description: 'Far.\n\n{"format":"sea-mile"}' },
  ],
  [
    'few items',
    { type: 'array', items: { enum: [1] }, minItems: 1 },
    { type: 'array', items: { enum: [1] }, minItems: 1 },
  ],
  [
    'many items',
    { type: 'array', minItems: 2, uniqueItems: true },
    { type: 'array', description: '{"minItems":2,"uniqueItems":true}' },
  ],
  [
    'definitions',
    { $schema: 'x', $defs: { p: { type: 'object', properties: {} } }, $ref: '#/$defs/p' },
    { $defs: { p: { type: 'object', properties: {}, additionalProperties: false } }, $ref: '#/$defs/p' },
  ],
  [
    'a property called like a keyword',
    { type: 'object', properties: { pattern: { type: 'string' }, required: { const: 1 } }, required: ['pattern'] },
    {
      type: 'object',
      properties: { pattern: { type: 'string' }, required: { const: 1 } },
      required: ['pattern'],
      additionalProperties: false,
    },
  ],
])('%s', (_, given, expected) => {
  expect(narrowedSchema(given)).toEqual(expected)
})

test('the official SDK finds nothing more to narrow', () => {
  const given = {
    type: 'object',
    properties: {
      port: { type: 'string', maxLength: 9 },
      depths: { type: 'array', items: { type: 'number', minimum: 0 } },
    },
    required: ['port'],
  }
  const narrowed = narrowedSchema(given)
  expect(transformJSONSchema(narrowed as never) as unknown).toEqual(narrowed)
})
