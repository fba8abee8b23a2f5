// What the form of a key sends: pure functions of the web app.
import { describe, expect, test } from 'bun:test'
import { inLanguage } from '../../packages/console/src/i18n/say.ts'
import { keys } from '../../packages/console/src/i18n/texts/keys.ts'
import {
  changesOf,
  errorsIn,
  fieldOf,
  type KeyValues,
  requestOf,
  valuesOf,
} from '../../packages/console/src/pages/keys/form-values.ts'

const NOW = Date.UTC(2030, 0, 31)
const EMPTY = valuesOf(undefined, 'default', 'mine')
const errors = (values: Partial<KeyValues>) => errorsIn({ ...EMPTY, ...values }, inLanguage(keys.form, 'en'), NOW)

test('an empty form is a key without limits', () => {
  expect(errors({})).toEqual({})
  expect(requestOf(EMPTY, NOW)).toEqual({
    name: 'mine',
    group: 'default',
    cap_usd: null,
    cap_period: null,
    expires_at: null,
    models: null,
    networks: null,
    limits: { rpm: null, tpm: null, concurrent: null },
  })
})

test('what is typed is sent without spaces around it', () => {
  const values = { ...EMPTY, name: ' ci ', cap: ' 5.25 ', networks: '10.0.0.0/8,\n ::1 ', rpm: ' 60 ' }
  expect(requestOf({ ...values, period: 'month', expiry: 'days30' }, NOW)).toMatchObject({
    name: 'ci',
    cap_usd: '5.25',
    cap_period: 'month',
    expires_at: '2030-03-02T00:00:00.000Z',
    networks: ['10.0.0.0/8', '::1'],
    limits: { rpm: 60, tpm: null, concurrent: null },
  })
})

test('a period without a cap is not sent', () => {
  expect(requestOf({ ...EMPTY, period: 'day' }, NOW).cap_period).toBeNull()
})

describe('mistakes are shown at their fields', () => {
  test.each<[keyof KeyValues, Partial<KeyValues>]>([
    ['name', { name: ' ' }],
    ['name', { name: 'x'.repeat(101) }],
    ['cap', { cap: '0' }],
    ['cap', { cap: '0.00' }],
    ['cap', { cap: '-1' }],
    ['cap', { cap: '1e3' }],
    ['cap', { cap: '0.0000000001' }],
    ['expiryTime', { expiry: 'custom', expiryTime: '' }],
    ['expiryTime', { expiry: 'custom', expiryTime: '2029-12-31T00:00Z' }],
    ['models', { models: [] }],
    ['networks', { networks: 'office' }],
    ['networks', { networks: '10.0.0.0/8 10.0.0' }],
    ['rpm', { rpm: '0' }],
    ['tpm', { tpm: '1.5' }],
    ['concurrent', { concurrent: 'many' }],
  ])('%s: %j', (field, values) => {
    expect(Object.keys(errors(values))).toEqual([field])
  })

  test.each([
    ['limits.rpm', 'rpm'],
    ['expires_at', 'expiryTime'],
    ['cap_usd', 'cap'],
    ['something_new', 'form'],
    [null, 'form'],
  ] as const)('%p of the API is %s of the form', (param, field) => {
    expect(fieldOf(param)).toBe(field)
  })
})

test('only what differs is sent', () => {
  const key = {
    ...requestOf({ ...EMPTY, cap: '5', rpm: '10' }, NOW),
    expires_at: '2031-01-01T00:00:00.000Z',
  } as Parameters<typeof changesOf>[1]
  const shown = valuesOf(key, 'default')
  expect(changesOf(shown, key, NOW)).toEqual({})
  expect(changesOf({ ...shown, cap: '', rpm: '20' }, key, NOW)).toEqual({
    cap_usd: null,
    limits: { rpm: 20, tpm: null, concurrent: null },
  })
  expect(changesOf({ ...shown, expiry: 'never' }, key, NOW)).toEqual({ expires_at: null })
})
