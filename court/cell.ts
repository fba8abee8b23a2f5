// A cell: one thing that a client relies on, and how it is tried. Cells are data; runner.ts runs them on any gateway.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { Exchange } from './recorder.ts'
import type { Vendor } from './vendor/vendor.ts'

export type Dialect = TextDialectId
export const DIALECTS: readonly Dialect[] = ['chat', 'responses', 'messages', 'generate-content']

export const AREAS = ['answers', 'tool loops', 'streaming', 'abort', 'errors', 'endpoints', 'faults', 'money'] as const
export type Area = (typeof AREAS)[number]

/** What a model does; each kind is named on the command line. */
export type ModelKind = 'text' | 'embedding' | 'image'

/** What a cell is given. All requests go through the recorder, to `origin`. */
export type Trial = {
  origin: string
  key: string
  model: string
  /** In the prompt of every request of this cell: by it the vendor knows whose request it answers. */
  mark: string
  signal: AbortSignal
  /** The requests so far, with their responses as far as they have arrived. */
  exchanges: readonly Exchange[]
  /** Absent: the upstream is not the court's own. */
  vendor: Vendor | undefined
  /** USD that the gateway charged for these requests; absent or undefined: it does not say. */
  charged: ((exchanges: readonly Exchange[]) => Promise<number | undefined>) | undefined
}

export type Cell = {
  area: Area
  dialect: Dialect
  /** The program that calls, with its major version. */
  client: string
  endpoint: string
  /** What is asserted. */
  name: string
  model: ModelKind
  /** Needs the court's own vendor behind the gateway. */
  needsVendor?: true
  /** Runs with one of the models, in turn, instead of with each. */
  oneModel?: true
  /** Runs by itself: it compares sums before and after. */
  alone?: true
  /** Throws what is wrong. */
  run(trial: Trial): Promise<void>
}

export const ENDPOINTS: Readonly<Record<Dialect, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
  'generate-content': '/v1beta/models/{model}:generateContent',
}

/** The cell says nothing of this gateway, or of this model: it is not counted. */
export class NotApplicable extends Error {}

/** What a cell found wrong; anything else that is thrown is wrong, too. */
export class Finding extends Error {}

export function must(holds: boolean, finding: () => string): asserts holds {
  if (!holds) throw new Finding(finding())
}

export const show = (value: unknown): string => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}
