// Amounts as text, and ids of requests: what everything that shows money relies on.
import { describe, expect, test } from 'bun:test'
import {
  ceilDiv,
  formatCredit,
  formatMillionths,
  formatUsd,
  MAX_AMOUNT,
  NANOS_PER_USD,
  parseUsd,
  roundedUsd,
  UNLIMITED_CREDIT,
} from './amount.ts'
import { atLeastZero, balancesJson, capJson, limitsJson } from './json.ts'
import { NO_LIMITS } from './limits.ts'
import { EPOCH_MS, firstIdAt, formatRequestId, timeOfId } from './request-ids.ts'

test('a billion USD and the credit line without a limit fit 64 bits together', () => {
  expect(MAX_AMOUNT).toBe(10n ** 18n)
  expect(UNLIMITED_CREDIT).toBe(4n * 10n ** 18n)
  expect(UNLIMITED_CREDIT + 4n * MAX_AMOUNT).toBeLessThan(2n ** 63n)
})

test.each([
  ['0', 0n],
  ['0.05', 50_000_000n],
  [' 1.5 ', 1_500_000_000n],
  ['-2.000000001', -2_000_000_001n],
  ['1000000000', MAX_AMOUNT],
  ['-1000000000', -MAX_AMOUNT],
  ['1000000000.000000001', undefined],
  ['-1000000000.000000001', undefined],
  ['0.0000000001', undefined],
  ['1e3', undefined],
  ['1.', undefined],
  ['.5', undefined],
  ['', undefined],
  ['+1', undefined],
])('%p is read as %p nano-USD', (text, nanos) => expect(parseUsd(text)).toBe(nanos as never))

test.each([
  ['0.05', 50_000_000n],
  ['0.000000001', 1n],
  ['0.0000000010', 1n],
  ['0.0000000001', 1n],
  ['1.2345678901', 1_234_567_891n],
  ['-0.5', undefined],
  ['nothing', undefined],
])('%p computed elsewhere is %p nano-USD', (text, nanos) => expect(roundedUsd(text)).toBe(nanos as never))

test.each([
  [0n, '0.00'],
  [1n, '0.000000001'],
  [-1n, '-0.000000001'],
  [50_000_000n, '0.05'],
  [NANOS_PER_USD, '1.00'],
  [-1_500_000_000n, '-1.50'],
  [123_450_000_000n, '123.45'],
])('%p is shown as %p', (nanos, text) => {
  expect(formatUsd(nanos)).toBe(text)
  expect(parseUsd(text)).toBe(nanos)
})

test('credit without a limit is a word, also in what it is part of', () => {
  expect(formatCredit(UNLIMITED_CREDIT)).toBe('unlimited')
  expect(formatCredit(5n, UNLIMITED_CREDIT)).toBe('unlimited')
  expect(formatCredit(NANOS_PER_USD)).toBe('1.00')
  expect(balancesJson({ balance: NANOS_PER_USD, creditLine: UNLIMITED_CREDIT, held: 0n })).toEqual({
    balance_usd: '1.00',
    credit_line_usd: 'unlimited',
    held_usd: '0.00',
    available_usd: 'unlimited',
  })
})

test.each([
  [6n, 3n, 2n],
  [7n, 3n, 3n],
  [7n, 1n, 7n],
  [0n, 3n, 0n],
])('%p / %p is %p, rounded up', (one, other, quotient) => expect(ceilDiv(one, other)).toBe(quotient))

test.each([
  [1_500_000n, '1.5'],
  [1_000_000n, '1'],
  ['850000', '0.85'],
  [0n, '0'],
  [12_000_001n, '12.000001'],
])('%p millionths are %p', (millionths, text) => expect(formatMillionths(millionths)).toBe(text))

describe('as the APIs show it', () => {
  const usd = (amount: bigint) => amount * NANOS_PER_USD

  test('balances, and what is available of them: never less than nothing', () => {
    const shown = balancesJson({ balance: usd(5n), creditLine: usd(10n), held: usd(3n) })
    expect(shown).toMatchObject({ balance_usd: '5.00', held_usd: '3.00', available_usd: '12.00' })
    expect(balancesJson({ balance: -usd(5n), creditLine: usd(1n), held: 0n }).available_usd).toBe('0.00')
    expect([atLeastZero(1n), atLeastZero(0n), atLeastZero(-1n)]).toEqual([1n, 0n, 0n])
  })

  test('a cap, its period and what is left of it', () => {
    const now = Date.parse('2024-05-27T12:00:00Z')
    const cap = { cap: usd(9n), capPeriod: 'day', spentUnderCap: usd(2n), held: usd(3n) } as const
    expect(capJson(cap, now)).toEqual({
      cap_usd: '9.00',
      cap_period: 'day',
      cap_resets_at: '2024-05-28T00:00:00.000Z',
      cap_left_usd: '4.00',
    })
    expect(capJson({ ...cap, capPeriod: undefined, held: usd(8n) }, now)).toMatchObject({
      cap_period: null,
      cap_resets_at: null,
      cap_left_usd: '0.00',
    })
    expect(capJson({ ...cap, cap: undefined }, now)).toMatchObject({ cap_usd: null, cap_left_usd: null })
  })

  test('limits', () => {
    expect(limitsJson({ requestsPerMinute: 0, tokensPerMinute: 5, concurrent: 2 })).toEqual({
      rpm: 0,
      tpm: 5,
      concurrent: 2,
    })
    expect(limitsJson(NO_LIMITS)).toEqual({ rpm: null, tpm: null, concurrent: null })
  })
})

test('an id tells when its request began, and is written in 16 digits', () => {
  expect(firstIdAt(EPOCH_MS)).toBe(0n)
  expect(firstIdAt(EPOCH_MS - 1)).toBe(0n)
  expect(firstIdAt(EPOCH_MS + 1.9)).toBe(1n << 22n)
  expect(timeOfId(firstIdAt(EPOCH_MS + 1_000) + 4_194_303n)).toBe(EPOCH_MS + 1_000)
  expect(EPOCH_MS).toBe(Date.UTC(2024, 0, 1))
  expect(formatRequestId(0n)).toBe('req_0000000000000000')
  expect(formatRequestId(0x0123_4567_89ab_cdefn)).toBe('req_0123456789abcdef')
  expect(formatRequestId(0x7fff_ffff_ffff_ffffn)).toBe('req_7fffffffffffffff')
})
