// One tiny real request per key and dialect, over the same way as everybody's: does this upstream work, and if not, why?

import { Cancel } from '@trivium/http/cancel.ts'
import { readAtMost } from '@trivium/http/client/read-response.ts'
import type { CanonicalReply } from '@trivium/protocol/canonical/reply.ts'
import type { CanonicalRequest, TextDialectId } from '@trivium/protocol/canonical/request.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { Upstream } from '../../config/types.ts'
import { upstreamPath } from '../endpoint.ts'
import type { Send } from '../send.ts'

export type Check = {
  /** Counted from 1; null: it takes none. */
  key: number | null
  dialect: TextDialectId
  ok: boolean
  status: number | null
  latency_ms: number
  /** How the model's answer begins. */
  answer: string | null
  /** What failed, in plain words. */
  problem: string | null
}

/** Vendors take no less as a cap. */
const MOST_OUTPUT = 16
/** Where the upstream's own limits are not shorter: nobody wants to sit in front of a command for longer. */
const WITHIN_MS = 60_000
const REPLY_BYTES = 1024 * 1024
const SHOWN_CHARACTERS = 60

const ALL_DIALECTS: readonly TextDialectId[] = ['chat', 'responses', 'messages', 'generate-content']

/** `model`: its name at the upstream. Undefined: only the address and the keys are checked, if there is a way to. */
export async function checkUpstream(send: Send, upstream: Upstream, model: string | undefined): Promise<Check[]> {
  const checks: Check[] = []
  const spoken = upstream.endpoints.map(({ dialect }) => dialect)
  const dialects = spoken.length > 0 ? spoken : ALL_DIALECTS
  // One after the other: a pool of keys that answers all at once may well have one limit.
  for (const [index, key] of (upstream.keys.length > 0 ? upstream.keys : ['none']).entries()) {
    for (const dialect of model === undefined ? dialects.slice(0, 1) : dialects) {
      const one = { ...upstream, keys: [key] }
      const found = model === undefined ? await checkHealth(send, one, dialect) : await ask(send, one, dialect, model)
      checks.push({ key: upstream.keys.length > 0 ? index + 1 : null, dialect, ...found })
    }
  }
  return checks
}

/**
 * `reachable`: it answers, but what it said does not tell whether the key is good. `failing`: it answers with a fault of
 * its own. `unreachable`: no connection, no such name, no good certificate, or no answer in time.
 */
export type ProbeState = 'healthy' | 'reachable' | 'key rejected' | 'failing' | 'unreachable'
export type Probe = { key: number | null; state: ProbeState; note: string | null; latency_ms: number }

/** Somebody sits in front of a command, and a service that lists its models does so at once. */
const PROBE_MS = 5_000

/** The list of models, which nobody bills, below the address of each dialect. */
const MODELS: Readonly<Record<TextDialectId, string>> = {
  ...{ chat: '/models', responses: '/models', messages: '/v1/models', 'generate-content': '/models' },
}

/** Whether an upstream is there and takes each of its keys, found out at once and without cost. */
export function probeUpstream(send: Send, upstream: Upstream, withinMs = PROBE_MS): Promise<Probe[]> {
  if (upstream.embedded) return Promise.resolve([{ key: null, state: 'healthy', note: null, latency_ms: 0 }])
  const dialect = upstream.endpoints[0]?.dialect ?? 'chat'
  const sent = { method: 'GET' as const, path: upstream.healthPath ?? MODELS[dialect], body: [], dialect }
  const keys = upstream.keys.length > 0 ? upstream.keys : ['none']
  return Promise.all(
    keys.map(async (key, index) => {
      const found = await timed(send, { ...upstream, keys: [key] }, sent, () => ({}), withinMs)
      const number = upstream.keys.length > 0 ? index + 1 : null
      return { key: number, ...judged(found), latency_ms: found.latency_ms }
    }),
  )
}

function judged({ status, problem }: Found): Pick<Probe, 'state' | 'note'> {
  if (status === null) return { state: 'unreachable', note: problem }
  if (status < 300) return { state: 'healthy', note: null }
  if (status === 401 || status === 403 || problem?.startsWith(KEY_REJECTED)) {
    return { state: 'key rejected', note: problem }
  }
  return { state: status >= 500 ? 'failing' : 'reachable', note: problem }
}

const KEY_REJECTED = 'the key or its account was rejected'

type Found = Omit<Check, 'key' | 'dialect'>

async function ask(send: Send, upstream: Upstream, dialect: TextDialectId, model: string): Promise<Found> {
  const { body } = TEXT_DIALECTS[dialect].encodeRequest(request(dialect, model), {
    model,
    maxOutput: undefined,
    ...(upstream.service ? { service: upstream.service } : {}),
    warn: () => {},
    unseal: () => undefined,
    fetched: () => ({ kind: 'inline', mime: 'image/png', data: '' }),
  })
  const outgoing = { path: upstreamPath(upstream, dialect, model, false), body: [Buffer.from(JSON.stringify(body))] }
  return await timed(send, upstream, { ...outgoing, dialect }, (text) => {
    const decoded = TEXT_DIALECTS[dialect].decodeReply(parsed(text))
    if (decoded.ok) return { answer: beginning(decoded.reply) }
    return { problem: `answered, but not as ${dialect} does; is the address right? ${decoded.error.message}`.trim() }
  })
}

async function checkHealth(send: Send, upstream: Upstream, dialect: TextDialectId): Promise<Found> {
  const path = upstream.healthPath ?? ''
  const outgoing = { method: 'GET' as const, path, body: [], dialect }
  // A page for people has the status 200 as well.
  return await timed(send, upstream, outgoing, (text) => {
    const value = parsed(text)
    if (typeof value === 'object' && value !== null) return {}
    return { problem: `answered, but not as ${dialect} does; is the address right? ${path} is no JSON there.` }
  })
}

type Sent = { method?: 'GET'; path: string; body: Pieces; dialect: TextDialectId }
type Read = (text: string) => { answer?: string; problem?: string }

async function timed(
  send: Send,
  upstream: Upstream,
  sent: Sent,
  read: Read,
  within = patience(upstream),
): Promise<Found> {
  const from = performance.now()
  const found = (status: number | null, { answer, problem }: ReturnType<Read>): Found => ({
    ok: problem === undefined,
    status,
    latency_ms: Math.round(performance.now() - from),
    answer: answer ?? null,
    problem: problem ?? null,
  })
  let status: number | null = null
  const cancel = new Cancel()
  const timer = setTimeout(() => cancel.cancel(), within)
  try {
    const reply = await send(upstream, { ...sent, stream: false, headers: {}, key: upstream.keys[0] ?? 'none', cancel })
    status = reply.status
    const text = new TextDecoder().decode(await readAtMost(reply, REPLY_BYTES))
    return found(
      status,
      status >= 200 && status < 300 ? read(text) : { problem: refusal(status, text, upstream, sent) },
    )
  } catch (error) {
    return found(status, { problem: cancel.isCancelled ? tooLate(upstream, within) : unreachable(error, upstream) })
  } finally {
    clearTimeout(timer)
  }
}

function request(from: TextDialectId, model: string): CanonicalRequest {
  return {
    ...{ from, model, stream: false, showUsage: true, instructions: [], tools: [], hostedTools: [], modalities: [] },
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'Say hello.' }] }],
    format: { type: 'text' },
    sampling: { maxOutput: MOST_OUTPUT },
    reasoning: {},
    untranslated: [],
  }
}

/** A model that thinks first may have said nothing when the cap was reached: that works, too. */
function beginning({ choices }: CanonicalReply): string {
  const text = choices
    .flatMap(({ blocks }) => blocks.map((block) => (block.type === 'text' ? block.text : '')))
    .join('')
  return text.replace(/\s+/g, ' ').trim().slice(0, SHOWN_CHARACTERS)
}

const STATUSES: Readonly<Record<number, string>> = {
  400: 'the request was refused',
  401: 'the key was rejected',
  402: 'there is nothing left to spend',
  403: 'the key is not allowed to do this',
  404: 'there is no such model or address',
  422: 'the request was refused',
  429: 'too many requests, or the quota is used up',
}

function refusal(status: number, text: string, upstream: Upstream, { dialect }: Sent): string {
  const { code, message, detail } = TEXT_DIALECTS[dialect].decodeError(status, parsed(text))
  const general =
    status >= 500 ? 'the service failed' : status >= 300 && status < 400 ? 'redirected elsewhere' : 'refused'
  const place = status === 404 || general === 'redirected elsewhere' ? ` at ${upstream.baseUrl}` : ''
  const said = detail?.replace(/^\d+ ?/, '') || message
  // Google says so with the status of a bad request.
  const isOfKey = status === 400 && code === 'upstream_rejected_us'
  return `${isOfKey ? KEY_REJECTED : (STATUSES[status] ?? general)}${place} (${status}): ${said}`
}

const CODES: readonly [code: RegExp, words: string][] = [
  [/^ENOTFOUND|^EAI_|^ENODATA/, 'the name of the host is not known (DNS)'],
  [/^ECONNREFUSED/, 'nobody listens there (connection refused)'],
  [/^(EHOSTUNREACH|ENETUNREACH|ConnectTimeout)/, 'there is no way to this address'],
  [
    /^(ECONNRESET|EPIPE)/,
    'the connection was closed without an answer; does it speak HTTP at this port, with or without TLS?',
  ],
  [/CERT|SIGNATURE|SELF_SIGNED|ISSUER|ERR_TLS|ERR_SSL/, 'its certificate is not trusted (TLS)'],
  [/^(EPROTO|TlsHandshakeFailed)/, 'it does not speak TLS at this port'],
]

const placeOf = ({ baseUrl, proxy }: Upstream): string => `${baseUrl}${proxy ? ', through the proxy' : ''}`

/** A request that takes longer would be given up, too. */
const patience = ({ timeouts: { firstByteMs, totalMs } }: Upstream): number => Math.min(WITHIN_MS, firstByteMs, totalMs)

const tooLate = (upstream: Upstream, within: number): string =>
  `${placeOf(upstream)}: no answer within ${within / 1000} s`

function unreachable(error: unknown, upstream: Upstream): string {
  const place = placeOf(upstream)
  if (!(error instanceof Error)) return `${place}: ${error}`
  const code = 'code' in error ? String(error.code) : ''
  const words = CODES.find(([pattern]) => pattern.test(code))?.[1]
  return words ? `${place}: ${words}` : `${place}: ${error.message}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.slice(0, 1_000)
  }
}
