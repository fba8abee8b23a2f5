// The limits of a race: a balance, and every limit that a key can have.
import type { CallResult } from '../client.ts'
import type { Findings } from '../scenario.ts'

export type Race = {
  served: readonly CallResult[]
  rejected: readonly CallResult[]
  startedAt: number
  spent: bigint
  peak: number
}

export type Limit = {
  name: string
  /** The balance of the account in USD. */
  credit: string
  /** Options of `key create`. */
  key: Record<string, string>
  /** Output tokens of each response: its cap, which it reaches. */
  output: number
  /** Responses take long enough for all requests to be concurrent. */
  slow?: true
  /** The upstream reports ten times the hold, so not everything can be charged. */
  overcharged?: true
  /** The status beyond the limit. */
  rejection: 402 | 429
  check(race: Race, findings: Findings): void
}

/** The cost of one response is that of 1,000 output tokens at 4 USD per million, and a little for its input. */
const OUTPUT = 1_000
const FOR_TEN = '0.0405'
const PLENTY = '1000'
const MINUTE_MS = 60_000

const atMost = (name: string, limit: bigint) => (race: Race, findings: Findings) =>
  findings.must(race.spent <= limit, `${name}: ${race.spent} nano-USD spent, ${limit} allowed`)

const someRejected = ({ rejected }: Race, findings: Findings) =>
  findings.must(rejected.length > 0, 'no request was rejected: the cap was not reached')

/** How many minutes of a limit per minute the race has touched. */
const minutes = ({ startedAt }: Race): number =>
  Math.floor(Date.now() / MINUTE_MS) - Math.floor(startedAt / MINUTE_MS) + 1

const tokensOf = (race: Race): number =>
  race.served.reduce((sum, { usage }) => sum + (usage ? usage.input + usage.output : 0), 0)

export const LIMITS: readonly Limit[] = [
  {
    name: 'balance',
    credit: FOR_TEN,
    key: {},
    output: OUTPUT,
    rejection: 402,
    check: atMost('balance', 40_500_000n),
  },
  {
    name: 'key cap',
    credit: PLENTY,
    key: { cap: FOR_TEN },
    output: OUTPUT,
    rejection: 402,
    check: atMost('key cap', 40_500_000n),
  },
  {
    name: 'renewing cap',
    credit: PLENTY,
    key: { cap: FOR_TEN, 'cap-period': 'day' },
    output: OUTPUT,
    rejection: 402,
    check: atMost('renewing cap', 40_500_000n),
  },
  {
    name: 'key cap, more expensive than held',
    credit: PLENTY,
    key: { cap: FOR_TEN },
    output: OUTPUT,
    rejection: 402,
    overcharged: true,
    check: someRejected,
  },
  {
    name: 'renewing cap, more expensive than held',
    credit: PLENTY,
    key: { cap: FOR_TEN, 'cap-period': 'day' },
    output: OUTPUT,
    rejection: 402,
    overcharged: true,
    check: someRejected,
  },
  {
    name: 'requests per minute',
    credit: PLENTY,
    key: { rpm: '10' },
    output: 10,
    rejection: 429,
    check(race, findings) {
      const most = 10 * minutes(race)
      findings.must(race.served.length <= most, `requests per minute: ${race.served.length} served, ${most} allowed`)
    },
  },
  {
    name: 'tokens per minute',
    credit: PLENTY,
    key: { tpm: '10500' },
    output: OUTPUT,
    rejection: 429,
    check(race, findings) {
      const most = 10_500 * minutes(race)
      findings.must(tokensOf(race) <= most, `tokens per minute: ${tokensOf(race)} served, ${most} allowed`)
    },
  },
  {
    name: 'concurrency',
    credit: PLENTY,
    key: { concurrent: '10' },
    output: 10,
    slow: true,
    rejection: 429,
    check({ peak }, findings) {
      findings.must(peak <= 10, `concurrency: ${peak} worked on at once, 10 allowed`)
    },
  },
]
