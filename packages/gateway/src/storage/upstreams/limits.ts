// Limits of upstreams and routes, as processes ask for their shares.

/** What is limited: requests and tokens of a minute, nano-USD of a day, calls that run. */
export const LIMIT_KINDS = ['rpm', 'tpm', 'usd_per_day', 'concurrent'] as const
export type LimitKind = (typeof LIMIT_KINDS)[number]

export type LimitQuestion = {
  /** Which upstream or route. */
  name: string
  kind: LimitKind
  limit: number
  /** What this process wants to use without asking again. */
  want: number
  /** What it has used since it asked last, by slot. Below zero: less than it had said. */
  uses: readonly (readonly [slot: number, used: number])[]
  /** How long a slot is, and how many of them count. */
  slotMs: number
  slots: number
  /** How long what a process holds counts after it has asked. */
  holdsForMs: number
}

export type LimitAnswer = {
  name: string
  kind: LimitKind
  /** The store's clock. */
  now: number
  held: number
  /** What other processes hold. */
  others: number
  /** Processes that have a share, with this one. */
  nodes: number
  /** What all have used, by slot. */
  uses: readonly (readonly [slot: number, used: number])[]
}
