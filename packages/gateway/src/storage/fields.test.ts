import { expect, test } from 'bun:test'
import { fieldsOf, from, integer, isThere, list, maybe, small } from './fields.ts'

const read = fieldsOf({
  id: integer,
  lastUsedAt: maybe(small),
  networks: maybe(list),
  isProved: from('proved_at', isThere),
})

test('columns are named as their fields, unless a field says another one', () => {
  expect(read.columns).toEqual(['id', 'last_used_at', 'networks', 'proved_at'])
})

test.each([
  [
    { id: 9007199254740993n, last_used_at: 7n, networks: '["::1"]', proved_at: 3 },
    { lastUsedAt: 7, networks: ['::1'], isProved: true },
  ],
  [
    { id: '9007199254740993', last_used_at: null, networks: null, proved_at: null },
    { lastUsedAt: undefined, networks: undefined, isProved: false },
  ],
])('a row of either driver is read exactly, and NULL as undefined: %p', (row, fields) => {
  expect(read(row)).toEqual({ id: 9007199254740993n, ...fields })
})
