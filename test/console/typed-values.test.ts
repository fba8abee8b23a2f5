// What the forms of the web app show at first, and what they send: pure functions over their fields.
import { describe, expect, test } from 'bun:test'
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

const FIELDS: readonly Typed[] = [
  { name: 'name', usual: 'mine', missing: 'Give it a name.' },
  { name: 'cap_usd', as: 'amount', wrong: (text) => !/^\d+(\.\d+)?$/.test(text) && 'No amount.' },
  { name: 'networks', as: 'words' },
  { name: 'notes', as: 'lines' },
  { name: 'limits.rpm', as: 'number' },
  { name: 'limits.tpm', as: 'number' },
  { name: 'active', as: 'switch' },
  { name: 'secret', as: 'secret' },
  { name: 'password', as: 'password', missing: 'Enter it.' },
  { name: '+expiry', usual: 'never' },
  { name: 'expires_at', abouts: ['+expiry'], write: (_, values) => (values['+expiry'] === 'never' ? null : '2030') },
  { name: 'models', own: { first: null, write: (value) => value, shows: (param) => param.startsWith('models') } },
]
const STORED = { name: 'ci', cap_usd: '5.00', networks: ['10.0.0.0/8', '::1'], notes: ['a', 'b'], limits: { rpm: 60 } }

const valuesOf = (of: object): Values => Object.fromEntries(FIELDS.map((field) => [field.name, firstOf(field, of)]))
const NEW = valuesOf({})
const OLD = valuesOf({ ...STORED, active: true, secret: 'never shown' })

test('what is there is shown, and secrets are not', () => {
  expect(OLD).toMatchObject({ name: 'ci', cap_usd: '5.00', networks: '10.0.0.0/8, ::1', notes: 'a\nb' })
  expect(OLD).toMatchObject({ 'limits.rpm': '60', 'limits.tpm': '', active: 'true', secret: '' })
  expect(NEW).toMatchObject({ name: 'mine', '+expiry': 'never', networks: '' })
})

test('an empty form sends what is usual, and nothing of the form alone', () => {
  expect(requestOf(FIELDS, NEW, NEW)).toEqual({ name: 'mine', password: '', expires_at: null, models: null })
})

test('what is typed is sent without spaces around it, but for passwords', () => {
  const typed = {
    name: ' ci ',
    cap_usd: ' 5.25 ',
    networks: '10.0.0.0/8,\n ::1 ',
    notes: ' a \n\n b',
    'limits.rpm': ' 60 ',
  }
  expect(requestOf(FIELDS, NEW, { ...NEW, ...typed, active: 'false', password: ' p ', '+expiry': 'once' })).toEqual({
    name: 'ci',
    cap_usd: '5.25',
    networks: ['10.0.0.0/8', '::1'],
    notes: ['a', 'b'],
    limits: { rpm: 60 },
    active: false,
    password: ' p ',
    expires_at: '2030',
    models: null,
  })
})

test('only what differs is sent of a change; what was emptied is null', () => {
  expect(changesOf(FIELDS, OLD, OLD)).toEqual({})
  const changed = { ...OLD, name: 'other', cap_usd: '', 'limits.rpm': '', 'limits.tpm': '9' }
  expect(changesOf(FIELDS, OLD, changed)).toEqual({ name: 'other', cap_usd: null, limits: { rpm: null, tpm: 9 } })
})

describe('mistakes', () => {
  test.each<[string, Values, Record<string, string>]>([
    ['nothing entered', { name: ' ', password: 'x' }, { name: 'Give it a name.' }],
    ['spaces are a password', { password: ' ' }, {}],
    ['no amount', { cap_usd: '1e3', password: 'x' }, { cap_usd: 'No amount.' }],
    ['an empty one may be left out', { cap_usd: '', password: 'x' }, {}],
  ])('%s', (_, values, expected) => {
    expect(mistakesIn(FIELDS, { ...NEW, ...values })).toEqual(expected)
  })

  test.each([
    ['limits.rpm', 'limits.rpm'],
    ['networks[1]', 'networks'],
    ['+expiry', 'expires_at'],
    ['models[0]', 'models'],
    ['something_new', undefined],
    [null, undefined],
  ] as const)('%p of the API stands at %s', (param, name) => {
    expect(fieldOf(FIELDS, NEW, param)?.name).toBe(name as string)
  })
})

test.each([
  [isAmount, ['5', '0.01', '0.000000001', '999999999'], ['0', '0.00', '-1', '1e3', '0.0000000001', ' 1', '']],
  [isCount, ['1', '60', '999999999'], ['0', '1.5', 'many', '-1', '']],
  [isNetwork, ['10.0.0.0/8', '10.0.0.1', '::1', '2001:db8::/32'], ['office', '10.0.0', '10.0.0.0.0', '/8', '']],
] as const)('%p of a key', (is, right, wrong) => {
  expect(right.filter((text) => !is(text))).toEqual([])
  expect(wrong.filter((text) => is(text))).toEqual([])
})
