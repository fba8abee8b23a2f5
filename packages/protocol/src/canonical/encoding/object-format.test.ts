import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isObjectSchema, openUnwrapper, unwrapped, withObjectRoot } from './object-format.ts'

test('a list becomes the one property of a closed object, its definitions stay at the root', () => {
  const schema = { type: 'array', items: { $ref: '#/$defs/port' }, $defs: { port: { type: 'string' } } }
  expect(withObjectRoot({ type: 'schema', schema, name: 'ports' })).toEqual({
    type: 'schema',
    name: 'ports',
    schema: {
      type: 'object',
      properties: { value: { type: 'array', items: { $ref: '#/$defs/port' } } },
      required: ['value'],
      additionalProperties: false,
      $defs: { port: { type: 'string' } },
    },
  })
})

test.each([
  [{ type: 'object' }, true],
  [{ properties: { a: {} } }, true],
  [{ type: 'array' }, false],
  [{ type: ['object', 'null'] }, false],
  [{ enum: ['a'] }, false],
] as const)('%j is an object: %p', (schema, expected) => {
  expect(isObjectSchema(schema)).toBe(expected)
})

describe('the value of an answer', () => {
  test.each([
    ['{"value":[1,2]}', '[1,2]'],
    ['\n{ "value" : [ {"a":"}]\\""} ] }\n', '[ {"a":"}]\\""} ]'],
    ['{"value":"a"}', '"a"'],
    ['{"value":12.5}', '12.5'],
    // Cut at the limit: what has come of the value.
    ['{"value":[1,{"a', '[1,{"a'],
    // Not the requested format: left as it is.
    ['I cannot do that.', 'I cannot do that.'],
    ['[1,2]', '[1,2]'],
    ['{"values":[1]}', '{"values":[1]}'],
    ['{"val', '{"val'],
    ['', ''],
  ])('%j', (text, expected) => {
    expect(unwrapped(text)).toBe(expected)
  })

  test('comes out the same wherever the stream is cut', () => {
    const cuts = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 8 })
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 2 }), cuts, (value, indent, at) => {
        const text = JSON.stringify({ value }, undefined, indent)
        const unwrapper = openUnwrapper()
        let out = ''
        let from = 0
        for (const cut of [...at, text.length].sort((a, b) => a - b)) {
          out += unwrapper.push(text.slice(from, cut))
          from = Math.max(from, Math.min(cut, text.length))
        }
        expect(JSON.parse(out + unwrapper.end())).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})
