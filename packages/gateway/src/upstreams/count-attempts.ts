// Counts the calls of upstreams by what came back.
import type { Values } from '../observe/metrics/metric.ts'
import type { Send } from './send.ts'

/** A response of which the head has arrived counts by its status; what follows may still fail. */
export function countAttempts(send: Send, attempts: Values): Send {
  const counted: Send = (upstream, outgoing) =>
    send(upstream, outgoing).then(
      (response) => {
        attempts.add(1, upstream.id, resultOf(response.status))
        return response
      },
      (error) => {
        attempts.add(1, upstream.id, outgoing.cancel.signal.aborted ? 'cancelled' : 'no_response')
        throw error
      },
    )
  return Object.assign(counted, send.httpVersionOf ? { httpVersionOf: send.httpVersionOf } : {})
}

const RATE_LIMITED = 429

const resultOf = (status: number): string => (status === RATE_LIMITED ? '429' : `${Math.floor(status / 100)}xx`)
