import { expect, test } from 'bun:test'
import { isAmount, isCount, isNetwork } from '../../packages/console/src/pages/keys/entered.ts'
import {
  changesOf,
  fieldOf,
  firstOf,
  mistakesIn,
  requestOf,
  type Typed,
  type Values,
} from '../../packages/console/src/ui/form/typed-values.ts'

const FIELDS: Typed[] = [
  { name: 'name', missing: 'Enter a name.' },
  { name: 'cap', wrong: (text) => !/^\d+$/.test(text) && 'No amount.' },
  { name: 'period', usual: 'never', write: (text) => (text === 'never' ? null : text) },
  { name: 'limits.rpm', as: 'number' },
  { name: 'limits.tpm', as: 'number' },
  { name: 'networks', as: 'words' },
  { name: 'secret', as: 'secret' },
  { name: 'open', as: 'switch', usual: 'true' },
  { name: '+time', abouts: ['expires_at'] },
  { name: 'models', own: { first: null, write: (value) => value } },
]
const firstValues = (of: object): Values => Object.fromEntries(FIELDS.map((field) => [field.name, firstOf(field, of)]))

const THERE = {
  name: 'laptop',
  cap: 20,
  period: 'month',
  limits: { rpm: 60, tpm: null },
  networks: ['192.0.2.1', '192.0.2.2'],
  secret: '…abcd',
}

test.each([
  ['nothing', {}, {}],
  ['spaces around a text', { name: ' laptop ' }, {}],
  ['the same amount as a text', { cap: '20' }, {}],
  ['a part of an object', { 'limits.tpm': '5' }, { limits: { tpm: 5 } }],
  ['a number that is none, for the gateway to reject', { 'limits.tpm': 'many' }, { limits: { tpm: 'many' } }],
  ['what is emptied', { cap: '', networks: '' }, { cap: null, networks: null }],
  ['a choice that means nothing', { period: 'never' }, { period: null }],
  ['a list by spaces, commas and lines', { networks: 'a, b\nc,' }, { networks: ['a', 'b', 'c'] }],
  ['a secret, which is never shown', { secret: 'new' }, { secret: 'new' }],
  ['a switch', { open: 'false' }, { open: false }],
  ['what is of the form alone', { '+time': 'noon' }, {}],
  ['a field with an entry of its own', { models: ['x'] }, { models: ['x'] }],
] as const)('of a change, %s', (_, typed, sent) => {
  const first = firstValues(THERE)
  const now = { ...first, ...typed }
  expect(changesOf(FIELDS, first, now)).toEqual(sent)
  // What takes it back names the same parts.
  expect(Object.keys(changesOf(FIELDS, now, first))).toEqual(Object.keys(sent))
})

test('a request has all that is entered, what is chosen, and null for what was there and is emptied', () => {
  const first = firstValues({})
  expect(requestOf(FIELDS, first, { ...first, name: 'new', 'limits.rpm': '5' })).toEqual({
    name: 'new',
    period: null,
    limits: { rpm: 5 },
    open: true,
    models: null,
  })
  const there = firstValues(THERE)
  expect(requestOf(FIELDS, there, { ...there, cap: '' })).toMatchObject({ name: 'laptop', cap: null, period: 'month' })
})

test('mistakes stand at their fields, before anything is sent and afterwards', () => {
  const values = { ...firstValues({}), cap: 'much' }
  expect(mistakesIn(FIELDS, values)).toEqual({ name: 'Enter a name.', cap: 'No amount.' })
  expect(mistakesIn(FIELDS, { ...values, name: 'x', cap: '' })).toEqual({})
  const nameOf = (param: string | null) => fieldOf(FIELDS, values, param)?.name
  expect(['limits.rpm', 'networks[1]', 'expires_at', 'nam', null].map(nameOf)).toEqual([
    'limits.rpm',
    'networks',
    '+time',
    undefined,
    undefined,
  ])
})

test.each([
  [isAmount, ['5', '0.01', '0.000000001', '999999999'], ['0', '0.00', '-1', '1e3', '0.0000000001', ' 1', '']],
  [isCount, ['1', '60', '999999999'], ['0', '1.5', 'many', '-1', '']],
  [isNetwork, ['10.0.0.0/8', '10.0.0.1', '::1', '2001:db8::/32'], ['office', '10.0.0', '10.0.0.0.0', '/8', '']],
] as const)('%p of a key', (is, right, wrong) => {
  expect(right.filter((text) => !is(text))).toEqual([])
  expect(wrong.filter((text) => is(text))).toEqual([])
})
