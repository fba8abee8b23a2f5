// How requests ended, in the few classes of charts: one word and one colour each, on every page.

/** In the order of the stack, what went well at the bottom. */
export const CLASS_COLOURS = {
  delivered: 'text-good',
  running: 'text-chart-1',
  ended: 'text-chart-8',
  failed: 'text-bad',
  rejected: 'text-chart-6',
} as const
export type OutcomeClass = keyof typeof CLASS_COLOURS
export const OUTCOME_CLASSES = Object.keys(CLASS_COLOURS) as OutcomeClass[]

const BY_OUTCOME: Readonly<Record<string, OutcomeClass>> = {
  completed: 'delivered',
  incomplete: 'delivered',
  content_filtered: 'delivered',
  stopped_by_balance: 'delivered',
  client_disconnected: 'ended',
  cancelled: 'ended',
  running: 'running',
  rejected: 'rejected',
}

export const classOf = (outcome: string): OutcomeClass => BY_OUTCOME[outcome] ?? 'failed'
