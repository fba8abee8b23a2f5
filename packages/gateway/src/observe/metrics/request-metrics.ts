// The observer that counts requests. Labels are from closed sets: routes, and models and upstreams of the configuration.
import { ROUTES, type Route } from '@trivium/protocol/routes.ts'
import type { RequestObserver } from '../request-observer.ts'
import type { RequestRecord } from '../request-record.ts'
import { OTHER } from './metric.ts'
import type { Metrics } from './names.ts'

export type KnownNames = { models: { has(id: string): boolean }; upstreams: { has(id: string): boolean } }

/** A label that does not apply. */
const NONE = 'none'

/** `known`: the configuration in force. Callers may invent names of models, and each would be a series. */
export function observeRequests(metrics: Metrics, known: () => KnownNames): RequestObserver {
  const { requests, errors, duration, firstToken, queued, tokens, shed, malformed } = metrics
  const labelOf = (name: string | undefined, names: { has(id: string): boolean }): string =>
    name === undefined ? NONE : names.has(name) ? name : OTHER

  // Resolved once: nearly every request adds to these.
  const waits = queued.of([])
  const durations = resolved((endpoint) => duration.of([endpoint]))
  const firstTokens = resolved((endpoint) => firstToken.of([endpoint]))
  const used = resolved((model) => ({ input: tokens.of([model, 'input']), output: tokens.of([model, 'output']) }))

  /** Those of the last request: a new list for each would cost more than to count it. */
  const labels: string[] = []

  return {
    ended(record) {
      const { route, status, error, firstTokenMs } = record
      const { models, upstreams } = known()
      const endpoint = route ?? NONE
      const model = labelOf(record.model, models)
      const upstream = labelOf(record.upstream, upstreams)
      labels[0] = endpoint
      labels[1] = modalityOf(record)
      labels[2] = model
      labels[3] = upstream
      labels[4] = outcomeOf(record)
      labels[5] = String(status)
      requests.of(labels).add(1)
      durations(endpoint).observe(record.totalMs / 1_000)
      if (error !== undefined) errors.add(1, error)
      if (firstTokenMs !== undefined) firstTokens(endpoint).observe(firstTokenMs / 1_000)
      if (record.model !== undefined) waits.observe(record.queuedMs / 1_000)
      if (!record.tokens) return
      const { input, output, cached, reasoning } = record.tokens
      const counters = used(model)
      counters.input.add(input)
      counters.output.add(output)
      if (cached > 0) tokens.add(cached, model, 'cached')
      if (reasoning) tokens.add(reasoning, model, 'reasoning')
    },
    shed: (count) => shed.add(count),
    malformed: () => malformed.add(1),
  }
}

/** By a label, which is a route or a model of the catalogue and so one of few: found once. */
function resolved<T extends object>(find: (label: string) => T): (label: string) => T {
  const known = new Map<string, T>()
  return (label) => {
    const found = known.get(label)
    if (found) return found
    const first = find(label)
    known.set(label, first)
    return first
  }
}

function modalityOf({ route }: RequestRecord): string {
  const { modality }: Route = route === undefined ? NO_ROUTE : ROUTES[route]
  return modality ?? NONE
}

const NO_ROUTE = {} as Route

/** Requests without a receipt have no outcome of their own. */
function outcomeOf({ outcome, status }: RequestRecord): string {
  if (outcome !== undefined) return outcome
  return status < 400 ? 'completed' : status < 500 ? 'rejected' : 'failed'
}
