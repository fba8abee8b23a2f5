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

  return {
    ended(record) {
      const { route, status, error, firstTokenMs } = record
      const { models, upstreams } = known()
      const endpoint = route ?? NONE
      const model = labelOf(record.model, models)
      const upstream = labelOf(record.upstream, upstreams)
      requests.add(1, endpoint, modalityOf(record), model, upstream, outcomeOf(record), String(status))
      duration.observe(record.totalMs / 1_000, endpoint)
      if (error !== undefined) errors.add(1, error)
      if (firstTokenMs !== undefined) firstToken.observe(firstTokenMs / 1_000, endpoint)
      if (record.model !== undefined) queued.observe(record.queuedMs / 1_000)
      const used = record.tokens
      if (!used) return
      tokens.add(used.input, model, 'input')
      tokens.add(used.output, model, 'output')
      if (used.cached > 0) tokens.add(used.cached, model, 'cached')
      if (used.reasoning) tokens.add(used.reasoning, model, 'reasoning')
    },
    shed: (count) => shed.add(count),
    malformed: () => malformed.add(1),
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
