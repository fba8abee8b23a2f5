// What a fault is: what an upstream does wrong, and what the caller and the books must make of it.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { Wire } from './wire.ts'

/** Nothing; what the upstream reported; or the input and what was delivered, counted here. */
export type Costs = 'nothing' | 'reported' | 'counted'

/**
 * `status`: of the answer; a 200 whose ending is not `completed` must end in the dialect's own error.
 * `ending`: on the receipt, as in docs/billing.md.
 */
export type Expected = { status: number; ending: string; costs: Costs }

/** Who answers: the proxy in front of the sandbox, the sandbox itself with its switches, or an address where nobody does. */
export type FaultLocation = 'proxy' | 'sandbox' | 'deaf' | 'refusing' | 'unknown' | 'not-tls' | 'http2'

/** `short`: for what is to run into the limit of silence. `byte`: for a byte a second. `total`: for what never is silent. */
export type TimeoutSet = 'long' | 'short' | 'total' | 'byte'

export type Fault = {
  name: string
  streamed: Expected
  single: Expected
  at: FaultLocation
  /** What the proxy does with the answer; absent: passes it on, first output first. */
  respond?: (wire: Wire) => void | Promise<void>
  /** Switches of the sandbox behind the proxy. */
  switches?: (dialect: TextDialectId) => string
  timeouts?: TimeoutSet
  /** Of upstreams in these dialects only. */
  only?: readonly TextDialectId[]
  /** The status where this dialect is on both sides. */
  own?: { dialect: TextDialectId; status: number }
  /** One call at a time: the memory of each is looked at. */
  heavy?: true
  /** Too long, or too much like another, for a share. */
  fullRunOnly?: true
  /** The text need not be what the upstream meant. */
  garbled?: true
}

/** Milliseconds; `idle` holds for the first byte, too. */
export const TIMEOUTS: Record<TimeoutSet, { idle: number; total: number }> = {
  long: { idle: 10_000, total: 30_000 },
  short: { idle: 1_000, total: 30_000 },
  total: { idle: 1_200, total: 1_500 },
  byte: { idle: 1_500, total: 30_000 },
}

/** No call may last longer than the limit that ends it, and this. */
export const SLACK_MS = 5_000

export const limitOf = ({ timeouts: patience = 'long' }: Fault): number =>
  SLACK_MS + (patience === 'total' ? TIMEOUTS.total.total : TIMEOUTS[patience].idle)

export const completed: Expected = { status: 200, ending: 'completed', costs: 'reported' }
export const counted: Expected = { status: 200, ending: 'completed', costs: 'counted' }
export const free: Expected = { status: 200, ending: 'completed', costs: 'nothing' }
export const rejected = (status: number, ending = 'failed'): Expected => ({ status, ending, costs: 'nothing' })
export const brokenOff = (ending: string): Expected => ({ status: 200, ending, costs: 'counted' })
export const both = (expected: Expected): Pick<Fault, 'streamed' | 'single'> => ({
  streamed: expected,
  single: expected,
})
