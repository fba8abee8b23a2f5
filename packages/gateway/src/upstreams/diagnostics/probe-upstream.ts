// Finds out, without cost, whether an upstream responds and accepts each of its keys.
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from '../../config/types.ts'
import type { CredentialState } from '../credentials/credential.ts'
import type { OutgoingRequest, Send } from '../send.ts'
import { KEY_REJECTED, type TimedResult, timedRequest } from './timed-request.ts'

/**
 * `reachable`: the response does not tell whether the key is valid. `failing`: an error of the upstream's own. `unreachable`:
 * no connection, unknown name, invalid certificate, or timeout. `no credential`: nothing could be sent.
 */
export type ProbeState = 'healthy' | 'reachable' | 'key rejected' | 'failing' | 'unreachable' | 'no credential'
export type Probe = {
  key: number | null
  state: ProbeState
  note: string | null
  latency_ms: number
  warnings?: readonly string[]
}

const TIMEOUT_MS = 5_000
/** Longer than a request waits for a credential, so that the reason is known. */
const AUTH_TIMEOUT_MS = 8_000

/** Lists the models: no vendor bills that. */
export function probeUpstream(send: Send, upstream: Upstream, timeoutMs = timeoutOf(upstream)): Promise<Probe[]> {
  if (upstream.embedded) return Promise.resolve([{ key: null, state: 'healthy', note: null, latency_ms: 0 }])
  const dialect: OutgoingRequest['dialect'] = upstream.endpoints[0]?.dialect ?? (upstream.images ? 'images' : 'chat')
  const path = upstream.healthPath ?? DIALECTS[dialect].endpoint.modelsPath
  const sent = { method: 'GET' as const, path, body: [], dialect }
  const keys = upstream.keys.length > 0 ? upstream.keys : ['none']
  return Promise.all(
    keys.map(async (key, index) => {
      const result = await timedRequest(send, { ...upstream, keys: [key] }, sent, () => ({}), timeoutMs)
      const number = upstream.keys.length > 0 ? index + 1 : null
      const probe = { key: number, ...stateOf(result), latency_ms: result.latency_ms }
      return upstream.auth ? withCredential(probe, send.credentialState?.(upstream)) : probe
    }),
  )
}

const timeoutOf = ({ auth }: Upstream): number => (auth ? AUTH_TIMEOUT_MS : TIMEOUT_MS)

/** Where the credential comes from, and whether the clock is right for it. */
function withCredential(probe: Probe, credential: CredentialState | undefined): Probe {
  if (!credential) return probe
  const { source, problem, skewMs } = credential
  const skew = Math.round((skewMs ?? 0) / 1_000)
  const clock = `the clock of this machine is ${Math.abs(skew)} s ${skew > 0 ? 'ahead of' : 'behind'} that of the upstream, which rejects signatures and tokens for it; synchronise it (NTP)`
  const warnings = skew === 0 ? {} : { warnings: [clock] }
  if (problem !== undefined) return { ...probe, state: 'no credential', note: problem, ...warnings }
  return { ...probe, note: probe.note ?? `credential from ${source}`, ...warnings }
}

function stateOf({ status, problem }: TimedResult): Pick<Probe, 'state' | 'note'> {
  if (status === null) return { state: 'unreachable', note: problem }
  if (status < 300) return { state: 'healthy', note: null }
  if (status === 401 || status === 403 || problem?.startsWith(KEY_REJECTED)) {
    return { state: 'key rejected', note: problem }
  }
  return { state: status >= 500 ? 'failing' : 'reachable', note: problem }
}
