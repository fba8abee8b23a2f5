import { expect, test } from 'bun:test'
import { NANOS_PER_USD as USD } from '../money/amount.ts'
import { NO_LIMITS } from '../money/limits.ts'
import { type Ceiling, type Key, type KeyChanges, NO_RESTRICTIONS } from '../storage/storage.ts'
import { aboveCeiling, operatorChanges } from './ceilings.ts'

const DAY = 86_400_000
const CEILING: Ceiling = {
  cap: 20n * USD,
  capPeriod: 'month',
  requestsPerMinute: 60,
  tokensPerMinute: 9_000,
  concurrent: 4,
  expiresAt: 10 * DAY,
  models: ['a', 'b'],
  networks: ['10.0.0.0/8', '2001:db8::/32'],
  group: 'staff',
}
const KEY: Key = {
  id: 1n,
  account: 1n,
  name: 'n',
  group: 'staff',
  deleted: false,
  expiresAt: CEILING.expiresAt,
  cap: CEILING.cap,
  capPeriod: 'month',
  limits: { requestsPerMinute: 60, tokensPerMinute: 9_000, concurrent: 4 },
  restrictions: { models: CEILING.models, networks: CEILING.networks },
  tags: [],
  areTagsLocked: false,
  lastFour: '',
  purpose: 'client',
  madeBy: 'command-line',
  person: undefined,
  ceiling: CEILING,
  operator: undefined,
  ownSince: undefined,
  revision: 0,
  formerUntil: undefined,
  spent: 0n,
  spentUnderCap: 0n,
  spentToday: 0n,
  spentThisMonth: 0n,
  held: 0n,
  createdAt: 0,
}

const LOWERED: KeyChanges[] = [
  { cap: 20n * USD },
  { cap: 5n * USD },
  { cap: 5n * USD, capPeriod: 'month' },
  { requestsPerMinute: 60, tokensPerMinute: 1, concurrent: 3 },
  { expiresAt: 10 * DAY },
  { expiresAt: DAY },
  { models: ['b'] },
  { networks: ['10.1.0.0/16', '10.0.0.7', '2001:db8:1::/48'] },
  { group: 'staff' },
  { name: 'other' },
  {},
]
test.each(LOWERED.map((changes) => ({ changes })))('within what the operator set: $changes', ({ changes }) => {
  expect(aboveCeiling(KEY, changes)).toBeUndefined()
})

const RAISED: [KeyChanges, keyof Ceiling, string][] = [
  [{ cap: 21n * USD }, 'cap', 'a cap of 20.00 USD per month'],
  [{ cap: undefined, capPeriod: undefined }, 'cap', 'a cap of 20.00 USD per month'],
  // Five a day may be more than twenty a month.
  [{ cap: 5n * USD, capPeriod: 'day' }, 'cap', 'per month'],
  [{ capPeriod: undefined }, 'cap', 'per month'],
  [{ requestsPerMinute: 61 }, 'requestsPerMinute', '60 requests per minute'],
  [{ tokensPerMinute: undefined }, 'tokensPerMinute', '9000 tokens per minute'],
  [{ concurrent: 5 }, 'concurrent', '4 concurrent requests'],
  [{ expiresAt: 11 * DAY }, 'expiresAt', '1970-01-11'],
  [{ expiresAt: undefined }, 'expiresAt', '1970-01-11'],
  [{ models: ['a', 'c'] }, 'models', 'a, b'],
  [{ models: undefined }, 'models', 'a, b'],
  [{ networks: ['10.0.0.0/7'] }, 'networks', '10.0.0.0/8'],
  [{ networks: ['10.0.0.1', '11.0.0.1'] }, 'networks', '10.0.0.0/8'],
  [{ networks: undefined }, 'networks', '10.0.0.0/8'],
  [{ group: 'default' }, 'group', "stays in the group 'staff'"],
]
test.each(RAISED)('above it: %p', (changes, field, says) => {
  expect(aboveCeiling(KEY, changes)).toEqual({ field, message: expect.stringContaining(says) })
})

test('without a ceiling everything is allowed', () => {
  for (const [changes] of RAISED) expect(aboveCeiling({ ...KEY, ceiling: {} }, changes)).toBeUndefined()
})

test('the changes of the operator become the ceiling, and the stricter choice of the account holder stays', () => {
  const lowered = { ...KEY, cap: 5n * USD, limits: { ...KEY.limits, concurrent: 2 } }
  expect(operatorChanges(lowered, { cap: 50n * USD, concurrent: 8, requestsPerMinute: 30 })).toEqual({
    cap: 5n * USD,
    concurrent: 2,
    requestsPerMinute: 30,
    ceiling: { ...CEILING, cap: 50n * USD, concurrent: 8, requestsPerMinute: 30 },
  })
  // Below the choice of the account holder, the operator's counts.
  expect(operatorChanges(lowered, { cap: 3n * USD, concurrent: 1 })).toMatchObject({ cap: 3n * USD, concurrent: 1 })
  const { concurrent: _, ...rest } = CEILING
  expect(operatorChanges(lowered, { concurrent: undefined })).toEqual({ concurrent: undefined, ceiling: rest })
  const free = {
    ...KEY,
    ceiling: {},
    cap: undefined,
    capPeriod: undefined,
    limits: NO_LIMITS,
    restrictions: NO_RESTRICTIONS,
  }
  expect(operatorChanges(free, { cap: USD, capPeriod: 'day' })).toEqual({
    cap: USD,
    capPeriod: 'day',
    ceiling: { cap: USD, capPeriod: 'day' },
  })
})
