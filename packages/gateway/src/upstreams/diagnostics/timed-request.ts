// Sends one request to an upstream, measures it, and describes what failed.

import { Cancel } from '@trivium/http/cancel.ts'
import { readAtMost } from '@trivium/http/client/read-response.ts'
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { DIALECTS } from '@trivium/protocol/dialects/index.ts'
import { withErrorType } from '@trivium/protocol/dialects/shared/errors/cloud-errors.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { Upstream } from '../../config/types.ts'
import type { Nanos } from '../../money/amount.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import { CredentialUnavailable } from '../credentials/credential.ts'
import type { OutgoingRequest, Send } from '../send.ts'
import { withoutKeys } from '../without-keys.ts'

export type TimedResult = {
  ok: boolean
  status: number | null
  latency_ms: number
  /** The start of the model's answer. */
  answer: string | null
  problem: string | null
  /** What the call costs by a price of the model's type; absent, or undefined: the response does not tell. */
  costAt?: CostAt
}
export type CostAt = (rate: AnyPrice) => Nanos | undefined

/** The timeout, unless the upstream's own are shorter. */
const TIMEOUT_MS = 60_000
const MAX_RESPONSE_BYTES = 1024 * 1024
export const KEY_REJECTED = 'the key or its account was rejected'

/** `maxBytes`: of the response. Absent: those of a short text. */
type Sent = Pick<OutgoingRequest, 'method' | 'path' | 'dialect' | 'contentType'> & {
  body: Pieces
  maxBytes?: number
  stream?: true
}
/** Reads the body of a successful response. */
type Read = (text: string) => { answer?: string; problem?: string; costAt?: CostAt }

export async function timedRequest(
  send: Send,
  upstream: Upstream,
  sent: Sent,
  read: Read,
  timeoutMs = timeoutOf(upstream),
): Promise<TimedResult> {
  const from = performance.now()
  const result = (status: number | null, { answer, problem, costAt }: ReturnType<Read>): TimedResult => ({
    ok: problem === undefined,
    status,
    latency_ms: Math.round(performance.now() - from),
    answer: answer ?? null,
    problem: problem ?? null,
    ...(costAt ? { costAt } : {}),
  })
  let status: number | null = null
  const cancel = new Cancel()
  const timer = setTimeout(() => cancel.cancel(), timeoutMs)
  try {
    const response = await send(upstream, {
      ...sent,
      stream: sent.stream ?? false,
      headers: {},
      key: upstream.keys[0] ?? 'none',
      cancel,
    })
    status = response.status
    const text = new TextDecoder().decode(await readAtMost(response, sent.maxBytes ?? MAX_RESPONSE_BYTES))
    return result(
      status,
      status >= 200 && status < 300 ? read(text) : { problem: rejection(response, text, upstream, sent) },
    )
  } catch (error) {
    return result(status, {
      problem: cancel.isCancelled ? timedOut(upstream, timeoutMs) : unreachable(error, upstream),
    })
  } finally {
    clearTimeout(timer)
  }
}

const NO_CREDIT = 'the account has no credit'

const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: 'the request was rejected',
  401: 'the key was rejected',
  402: NO_CREDIT,
  403: 'the key is not allowed to do this',
  404: 'the model or the URL does not exist',
  422: 'the request was rejected',
  429: 'rate-limited, or the quota is used up',
}

function rejection(reply: UpstreamResponse, text: string, upstream: Upstream, { dialect }: Sent): string {
  const { status } = reply
  const body = withErrorType(parsed(withoutKeys(upstream, text)), reply.header('x-amzn-errortype'))
  const { code, message, detail } = DIALECTS[dialect].decodeError(status, body)
  const general = status >= 500 ? 'the service failed' : status >= 300 && status < 400 ? 'redirected' : 'rejected'
  const place = status === 404 || general === 'redirected' ? ` at ${upstream.baseUrl}` : ''
  const said = detail?.replace(/^\d+ ?/, '') || message
  // Google rejects keys with status 400.
  const isKeyError = status === 400 && code === 'upstream_auth_error'
  const known = isKeyError ? KEY_REJECTED : code === 'upstream_no_credit' ? NO_CREDIT : STATUS_TEXTS[status]
  return `${known ?? general}${place} (${status}): ${said}`
}

const ERROR_TEXTS: readonly [code: RegExp, text: string][] = [
  [/^ENOTFOUND|^EAI_|^ENODATA/, 'unknown host name (DNS)'],
  [/^ECONNREFUSED/, 'connection refused'],
  [/^(EHOSTUNREACH|ENETUNREACH|ConnectTimeout)/, 'the host cannot be reached'],
  [/^MetadataHost/, 'the host leads to a metadata service of its cloud, which is never called'],
  [/^(ECONNRESET|EPIPE)/, 'the connection was closed without a response; check the port, and http or https'],
  [/CERT|SIGNATURE|SELF_SIGNED|ISSUER|ERR_TLS|ERR_SSL/, 'the certificate is not trusted (TLS)'],
  [/^(EPROTO|TlsHandshakeFailed)/, 'this port does not support TLS'],
]

const placeOf = ({ baseUrl, proxy }: Upstream): string => `${baseUrl}${proxy ? ', through the proxy' : ''}`

/** A request that takes longer would time out, too. */
const timeoutOf = ({ timeouts: { firstByteMs, totalMs } }: Upstream): number =>
  Math.min(TIMEOUT_MS, firstByteMs, totalMs)

const timedOut = (upstream: Upstream, timeoutMs: number): string =>
  `${placeOf(upstream)}: no response within ${timeoutMs / 1000} s`

function unreachable(error: unknown, upstream: Upstream): string {
  const place = placeOf(upstream)
  if (!(error instanceof Error)) return `${place}: ${error}`
  if (error instanceof CredentialUnavailable) return `no credential: ${error.message}`
  const code = 'code' in error ? String(error.code) : ''
  const text = ERROR_TEXTS.find(([pattern]) => pattern.test(code))?.[1]
  return text ? `${place}: ${text}` : `${place}: ${error.message}`
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.slice(0, 1_000)
  }
}
