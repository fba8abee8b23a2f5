// One line per request, written when its response has ended. Rejections that may be very frequent (401, load shedding, malformed
// HTTP) are counted, with one summary line per second.
import { formatUsd } from '../money/amount.ts'
import type { Attribution } from '../money/budgets/attribution.ts'
import type { Fields, LogFormat } from './log.ts'
import { jsonLine, textLine, timeOfDay } from './log.ts'
import type { RequestObserver } from './request-observer.ts'
import type { RequestRecord, Tokens } from './request-record.ts'
import { safeText } from './safe-text.ts'
import { traceIdOf } from './traces/context.ts'

/** `stop` writes the last summary. */
export type RequestLog = RequestObserver & { stop(): void }

export type RequestLogOptions = {
  write(line: string): void
  format: LogFormat
  /** Milliseconds since 1970. */
  clock(): number
  commonFields?: Fields
  /** Runs every second; returns a function that cancels it. */
  everySecond?(run: () => void): () => void
}

const UNAUTHORIZED = 401

export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { write, format, clock, commonFields = {}, everySecond = unrefInterval } = options
  const lineOf = format === 'json' ? jsonRequest : textRequest
  const summary = format === 'json' ? jsonLine : textLine
  let counts: Counts = { ...NONE }
  const cancel = everySecond(sumUp)

  function sumUp(): void {
    const { unauthorized, shed, malformed, first } = counts
    if (unauthorized + shed + malformed === 0) return
    counts = { ...NONE }
    // The first rejected request, as an example.
    const example = first ? { request_id: first.id, path: safeText(first.path), client: first.client } : {}
    const counted = { unauthorized, overloaded: shed, malformed }
    write(summary(clock(), 'warn', 'requests rejected', { ...commonFields, ...counted, ...example }))
  }

  return {
    showsClients: true,
    ended(record) {
      if (record.status === UNAUTHORIZED) {
        counts.unauthorized += 1
        counts.first ??= record
        return
      }
      write(lineOf(record, clock(), commonFields))
    },
    shed(count) {
      counts.shed += count
    },
    malformed() {
      counts.malformed += 1
    },
    stop() {
      cancel()
      sumUp()
    },
  }
}

type Counts = { unauthorized: number; shed: number; malformed: number; first: RequestRecord | undefined }
const NONE: Counts = { unauthorized: 0, shed: 0, malformed: 0, first: undefined }

function jsonRequest(record: RequestRecord, time: number, commonFields: Fields): string {
  const { model, upstream, tokens, charged, firstTokenMs, userAgent, clientRequestId } = record
  const line = {
    time: new Date(time).toISOString(),
    level: 'info',
    message: 'request',
    ...commonFields,
    method: safeText(record.method),
    path: safeText(record.path),
    status: record.status,
    request_id: record.id,
    client_request_id: clientRequestId && safeText(clientRequestId),
    trace_id: record.trace && traceIdOf(record.trace),
    client: record.client,
    user_agent: userAgent && safeAgent(userAgent),
    account_id: record.account?.toString(),
    key_id: record.key?.toString(),
    ...(record.attribution && attributionFields(record.attribution)),
    model: model && safeText(model),
    upstream: upstream && safeText(upstream),
    upstream_request_id: record.attempts.at(-1)?.requestId,
    outcome: record.outcome,
    error: record.error,
    input_tokens: tokens?.input,
    cached_tokens: tokens?.cached,
    output_tokens: tokens?.output,
    reasoning_tokens: tokens?.reasoning,
    cost_usd: charged === undefined ? undefined : formatUsd(charged),
    total_ms: tenths(record.totalMs),
    first_token_ms: firstTokenMs === undefined ? undefined : tenths(firstTokenMs),
    queue_ms: model === undefined ? undefined : tenths(record.queuedMs),
  }
  return `${JSON.stringify(line)}\n`
}

function attributionFields({ tags, endUser, session }: Attribution): Fields {
  return {
    tags: tags.length === 0 ? undefined : tags.map(safeText).join(','),
    end_user: endUser === '' ? undefined : safeText(endUser),
    session: session === '' ? undefined : safeText(session),
  }
}

/** Clients have few of them, and making one safe costs more than the rest of the line. */
const safeAgents = new Map<string, string>()
const MOST_AGENTS = 256

function safeAgent(agent: string): string {
  const known = safeAgents.get(agent)
  if (known !== undefined) return known
  const safe = safeText(agent)
  if (safeAgents.size >= MOST_AGENTS) safeAgents.clear()
  // A long one may be long on purpose: 256 of them would be memory that a client chooses.
  if (agent.length <= LONGEST_KEPT) safeAgents.set(agent, safe)
  return safe
}

const LONGEST_KEPT = 512

const tenths = (ms: number): number => Math.round(ms * 10) / 10

/** `15:04:05 POST /v1/messages 200 completed  model via upstream  12 in, 34 out  0.0001 USD  340 ms  req_...` */
function textRequest(record: RequestRecord, time: number): string {
  const { status, account, key, model, upstream, outcome, error, tokens, charged, totalMs, queuedMs, firstTokenMs } =
    record
  const { client, clientRequestId } = record
  const times = [`${tenths(totalMs)} ms`]
  if (firstTokenMs !== undefined) times.push(`first token ${tenths(firstTokenMs)} ms`)
  if (queuedMs >= 1) times.push(`queue ${tenths(queuedMs)} ms`)
  const groups = [
    `${timeOfDay(time)} ${word(record.method)} ${word(record.path)} ${[status, outcome, error].filter(Boolean).join(' ')}`,
    model === undefined ? '' : `${word(model)}${upstream === undefined ? '' : ` via ${word(upstream)}`}`,
    tokens ? tokensInWords(tokens) : '',
    charged === undefined ? '' : `${formatUsd(charged)} USD`,
    times.join(', '),
    account === undefined ? '' : `account ${account} key ${key}`,
    record.attribution ? attributionInWords(record.attribution) : '',
    client === undefined ? '' : `from ${client}`,
    `${record.id}${clientRequestId === undefined ? '' : ` (${word(clientRequestId)})`}`,
  ]
  return `${groups.filter((group) => group !== '').join('  ')}\n`
}

/** `for team=search,env=prod user u_...  session s-1` */
function attributionInWords({ tags, endUser, session }: Attribution): string {
  const words = [
    tags.length === 0 ? '' : word(tags.join(',')),
    endUser === '' ? '' : `user ${word(endUser)}`,
    session === '' ? '' : `session ${word(session)}`,
  ]
  return `for ${words.filter((each) => each !== '').join(' ')}`
}

/** A name that contains a space is quoted, so that it does not look like two words. */
function word(text: string): string {
  const safe = safeText(text)
  return safe.includes(' ') || safe.includes('"') ? JSON.stringify(safe) : safe
}

function tokensInWords({ input, cached, output, reasoning }: Tokens): string {
  const ofInput = cached > 0 ? ` (${cached} cached)` : ''
  return `${input} in${ofInput}, ${output} out${reasoning ? ` (${reasoning} reasoning)` : ''}`
}

function unrefInterval(run: () => void): () => void {
  const timer = setInterval(run, 1_000)
  timer.unref()
  return () => clearInterval(timer)
}
