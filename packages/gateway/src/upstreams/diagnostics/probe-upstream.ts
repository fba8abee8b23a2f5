// Finds out, without cost, whether an upstream responds and accepts each of its keys.
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from '../../config/types.ts'
import type { OutgoingRequest, Send } from '../send.ts'
import { KEY_REJECTED, type TimedResult, timedRequest } from './timed-request.ts'

/**
 * `reachable`: the response does not tell whether the key is valid. `failing`: an error of the upstream's own. `unreachable`:
 * no connection, unknown name, invalid certificate, or timeout.
 */
export type ProbeState = 'healthy' | 'reachable' | 'key rejected' | 'failing' | 'unreachable'
export type Probe = { key: number | null; state: ProbeState; note: string | null; latency_ms: number }

const TIMEOUT_MS = 5_000

/** Lists the models: no vendor bills that. */
export function probeUpstream(send: Send, upstream: Upstream, timeoutMs = TIMEOUT_MS): Promise<Probe[]> {
  if (upstream.embedded) return Promise.resolve([{ key: null, state: 'healthy', note: null, latency_ms: 0 }])
  const dialect: OutgoingRequest['dialect'] = upstream.endpoints[0]?.dialect ?? (upstream.images ? 'images' : 'chat')
  const path = upstream.healthPath ?? DIALECTS[dialect].endpoint.modelsPath
  const sent = { method: 'GET' as const, path, body: [], dialect }
  const keys = upstream.keys.length > 0 ? upstream.keys : ['none']
  return Promise.all(
    keys.map(async (key, index) => {
      const result = await timedRequest(send, { ...upstream, keys: [key] }, sent, () => ({}), timeoutMs)
      const number = upstream.keys.length > 0 ? index + 1 : null
      return { key: number, ...stateOf(result), latency_ms: result.latency_ms }
    }),
  )
}

function stateOf({ status, problem }: TimedResult): Pick<Probe, 'state' | 'note'> {
  if (status === null) return { state: 'unreachable', note: problem }
  if (status < 300) return { state: 'healthy', note: null }
  if (status === 401 || status === 403 || problem?.startsWith(KEY_REJECTED)) {
    return { state: 'key rejected', note: problem }
  }
  return { state: status >= 500 ? 'failing' : 'reachable', note: problem }
}
