import { expect, test } from 'bun:test'
import { requestOf, targetOf } from '../../../../../fixtures/generate-content/harness.ts'
import { mistakeOf } from '../../../../../fixtures/generate-content/requests.ts'
import type { JsonSchema } from '../../../../canonical/request.ts'
import { encodeRequest } from '../encode-request.ts'

function write(schema: JsonSchema) {
  const { target, warnings } = targetOf('gemini-2.0-flash')
  // In two requests: this model takes one or the other.
  const { body } = encodeRequest(requestOf({ tools: [{ name: 'f', schema }] }), target)
  const declared = (body.tools as { functionDeclarations: object[] }[])[0]?.functionDeclarations[0]
  const { generationConfig } = encodeRequest(requestOf({ format: { type: 'schema', schema } }), target).body
  return { declared, config: generationConfig, warnings }
}

const CASES: [given: JsonSchema, written: object, warnings: string[]][] = [
  [
    {
      type: 'object',
      properties: {
        when: { type: ['string', 'null'] },
        unit: { enum: ['m', 1] },
        all: { type: 'array', items: { type: 'integer' } },
      },
      required: ['when'],
      additionalProperties: false,
    },
    {
      type: 'OBJECT',
      properties: {
        when: { type: 'STRING', nullable: true },
        unit: { type: 'STRING', format: 'enum', enum: ['m', '1'] },
        all: { type: 'ARRAY', items: { type: 'INTEGER' } },
      },
      required: ['when'],
    },
    [],
  ],
  [
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#/$defs/a' } },
      $defs: { a: { type: 'number' } },
    },
    { type: 'OBJECT', properties: { a: { type: 'NUMBER' }, b: { type: 'NUMBER' } } },
    [],
  ],
  [
    { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] } } },
    { type: 'OBJECT', properties: { a: { anyOf: [{ type: 'STRING' }, { type: 'NUMBER' }], nullable: true } } },
    [],
  ],
  [
    { type: 'object', properties: { a: { prefixItems: [{ type: 'string' }] }, b: { $ref: '#/$defs/none' } } },
    { type: 'OBJECT', properties: { a: {}, b: {} } },
    ['tools;changed', 'tools;changed', 'format;changed', 'format;changed'],
  ],
]

test.each(CASES)('%j', (given, written, warned) => {
  const { declared, config, warnings } = write(given)
  expect(declared as object).toEqual({ name: 'f', parameters: written })
  expect(config as object).toEqual({ responseMimeType: 'application/json', responseSchema: written })
  expect(warnings).toEqual(warned)
})

test('a function without parameters has none', () => {
  expect(write({ type: 'object', properties: {} }).declared).toEqual({ name: 'f' })
})

test('a schema that refers to itself is rejected', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } }
  const mistake = mistakeOf(() => write({ $ref: '#/$defs/node', $defs: { node } }))
  expect(mistake).toMatchObject({ code: 'unsupported_parameter' })
  expect(mistake.message).toContain("'node'")
})
