// A fault: what an upstream does wrong, and the expected response and ledger entry.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { Wire } from './answer.ts'

/** Nothing, the reported usage, or the counted input and delivered output. */
export type Costs = 'nothing' | 'reported' | 'counted'

/**
 * `status`: of the response; a 200 whose outcome is not `completed` must end in the dialect's own error.
 * `outcome`: on the receipt, as in docs/operate/billing.md.
 */
export type Expected = { status: number; outcome: string; costs: Costs }

/** What the upstream is: the proxy in front of the sandbox, the sandbox with its switches, or an address without a service. */
export type FaultLocation = 'proxy' | 'sandbox' | 'deaf' | 'refusing' | 'unknown' | 'not-tls' | 'http2'

/** `short`: for faults that hit the idle timeout. `byte`: for one byte per second. `total`: for faults that are never silent. */
export type TimeoutSet = 'long' | 'short' | 'total' | 'byte'

export type Fault = {
  name: string
  streamed: Expected
  single: Expected
  at: FaultLocation
  /** How the proxy sends the response; absent: unchanged, the first output first. */
  respond?: (wire: Wire) => void | Promise<void>
  /** The sandbox's switches for this fault. */
  switches?: (dialect: TextDialectId) => string
  timeouts?: TimeoutSet
  /** Only upstreams of these dialects. */
  only?: readonly TextDialectId[]
  /** The status in pass-through of this dialect. */
  own?: { dialect: TextDialectId; status: number }
  /** Calls run one at a time, to measure the memory of each. */
  heavy?: true
  /** Left out of the sample in `npm run test:all`: too long, or too similar to another. */
  fullRunOnly?: true
  /** The text may differ from the upstream's. */
  garbled?: true
}

/** Milliseconds; `idle` is also the timeout of the first byte. */
export const TIMEOUTS: Record<TimeoutSet, { idle: number; total: number }> = {
  long: { idle: 10_000, total: 30_000 },
  short: { idle: 1_000, total: 30_000 },
  total: { idle: 1_200, total: 1_500 },
  byte: { idle: 1_500, total: 30_000 },
}

/** How much longer than its timeout a call may take. */
export const SLACK_MS = 5_000

export const limitOf = ({ timeouts = 'long' }: Fault): number =>
  SLACK_MS + (timeouts === 'total' ? TIMEOUTS.total.total : TIMEOUTS[timeouts].idle)

export const completed: Expected = { status: 200, outcome: 'completed', costs: 'reported' }
export const counted: Expected = { status: 200, outcome: 'completed', costs: 'counted' }
export const free: Expected = { status: 200, outcome: 'completed', costs: 'nothing' }
export const rejected = (status: number, outcome = 'failed'): Expected => ({ status, outcome, costs: 'nothing' })
export const brokenOff = (outcome: string): Expected => ({ status: 200, outcome, costs: 'counted' })
export const both = (expected: Expected): Pick<Fault, 'streamed' | 'single'> => ({
  streamed: expected,
  single: expected,
})
