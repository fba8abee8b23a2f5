import { expect, test } from 'bun:test'
import Type from 'typebox'
import { inputError } from './input-error.ts'

const LIMIT = Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 10 }), Type.Null()]))
const SCHEMA = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 5 }),
    models: Type.Optional(Type.Union([Type.Array(Type.String({ maxLength: 3 }), { maxItems: 2 }), Type.Null()])),
    period: Type.Optional(Type.Union([Type.Literal('day'), Type.Literal('week'), Type.Null()])),
    on: Type.Optional(Type.Boolean()),
    limits: Type.Optional(Type.Object({ rpm: LIMIT }, { additionalProperties: false })),
  },
  { additionalProperties: false },
)

const NAME = { field: 'name', wanted: 'text of 1 to 5 characters' }
const RPM = { field: 'limits.rpm', wanted: 'a whole number from 1 to 10' }

test.each([
  [{ name: 'a', models: null, period: 'day', limits: { rpm: 3 } }, undefined],
  [7, { field: '', wanted: 'an object' }],
  [{}, NAME],
  [{ name: 7 }, NAME],
  [{ name: '' }, NAME],
  [{ name: 'a\ud800' }, { field: 'name', wanted: 'well-formed text' }],
  [
    { name: 'a', models: ['\ud800'] },
    { field: 'models[0]', wanted: 'well-formed text' },
  ],
  [
    { name: 'a', x: 1 },
    { field: 'x', known: ['name', 'models', 'period', 'on', 'limits'] },
  ],
  [
    { name: 'a', ['x'.repeat(200)]: 1 },
    { field: 'x'.repeat(100), known: expect.any(Array) },
  ],
  [
    { name: 'a', limits: { rps: 1 } },
    { field: 'limits.rps', known: ['rpm'] },
  ],
  [
    { name: 'a', limits: [] },
    { field: 'limits', wanted: 'an object' },
  ],
  [{ name: 'a', limits: { rpm: 0 } }, RPM],
  [{ name: 'a', limits: { rpm: 1.5 } }, RPM],
  [{ name: 'a', limits: { rpm: '3' } }, RPM],
  [
    { name: 'a', models: ['long'] },
    { field: 'models[0]', wanted: 'text of 0 to 3 characters' },
  ],
  [
    { name: 'a', models: 'a' },
    { field: 'models', wanted: 'a list of at most 2 entries' },
  ],
  [
    { name: 'a', models: ['a', 'b', 'c'] },
    { field: 'models', wanted: 'a list of at most 2 entries' },
  ],
  [
    { name: 'a', period: 'year' },
    { field: 'period', wanted: 'one of day, week' },
  ],
  [
    { name: 'a', on: 1 },
    { field: 'on', wanted: 'true or false' },
  ],
])('%j', (value, expected) => {
  expect(inputError(SCHEMA, value)).toEqual(expected as never)
})
