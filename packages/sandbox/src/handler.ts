// The sandbox as a web-standard handler: called in-process by the gateway, or by its own server.
import { bodyOf, type Sleep, sleepFor, whenAborted } from './delivery/body.ts'
import { type Faults, numberOf, quirksOf, readFaults, splitModel } from './delivery/faults.ts'
import { singleSteps, streamSteps } from './delivery/steps.ts'
import type { DecodedRequest, Head, SandboxDialect, StreamEvent } from './dialects/dialect.ts'
import { makePlan, type Plan } from './model/plan.ts'
import { generateContentModelList, modelList, SANDBOX_TEXT } from './model-list.ts'
import { dialectOf, routeOf } from './paths.ts'
import { badRequest, errorHeaders, SandboxError, type SandboxErrorInfo } from './request/errors.ts'

export type SandboxOptions = {
  /** Whether requests may select faults. */
  faults: boolean
  /** Milliseconds between the events of a stream, unless a request sets another pace. */
  pace?: number
  /** `none`: requests need no key. */
  key?: 'any' | 'none'
  /** Milliseconds since 1970. */
  clock?: () => number
  sleep?: Sleep
}

type Parts = { faults: boolean; pace: number; key: 'any' | 'none'; clock: () => number; sleep: Sleep }

const DEFAULT_PACE_MS = 2
const MOST_PACE_MS = 60_000
const SPLIT_REMARK = ' (北京 🙂 é)'
const HTML = '<!doctype html><title>sandbox</title><p>[sandbox] Not the API you were looking for.</p>'

export function createSandbox(options: SandboxOptions): (request: Request) => Promise<Response> {
  const parts: Parts = { pace: DEFAULT_PACE_MS, key: 'any', clock: Date.now, sleep: sleepFor, ...options }
  return async (request) => {
    const url = new URL(request.url)
    const dialect = dialectOf(url.pathname)
    try {
      return await answer(request, url, dialect, parts)
    } catch (thrown) {
      if (thrown instanceof SandboxError) return errorResponse(dialect, thrown.info)
      throw thrown
    }
  }
}

async function answer(request: Request, url: URL, dialect: SandboxDialect, parts: Parts): Promise<Response> {
  const route = routeOf(request.method, url.pathname)
  if (route === undefined) {
    const message = `Invalid URL (${request.method} ${url.pathname})`
    throw new SandboxError({ status: 404, message, code: 'unknown_url' })
  }
  if (route === 'health') return json({ status: 'ok', sandbox: true })
  if (parts.key === 'any' && !hasKey(request.headers, url)) {
    throw new SandboxError({ status: 401, message: "You didn't provide an API key: send Authorization: Bearer KEY." })
  }
  if (route === 'list-models') return json(modelList())
  if (route === 'list-generate-content-models') return json(generateContentModelList())
  return answerPrompt(request, url, dialect, parts)
}

/** Any key, in any place where an SDK sends it. */
function hasKey(headers: Headers, url: URL): boolean {
  if (/^Bearer\s+\S/i.test(headers.get('authorization') ?? '')) return true
  return ['x-api-key', 'x-goog-api-key'].some((name) => headers.get(name)) || Boolean(url.searchParams.get('key'))
}

async function answerPrompt(request: Request, url: URL, dialect: SandboxDialect, parts: Parts): Promise<Response> {
  const reading = dialect.decode({ bytes: await request.bytes(), url, headers: request.headers })
  const { name, faults: suffix } = splitModel(reading.model)
  if (name !== SANDBOX_TEXT) {
    const message = `The model '${reading.model}' does not exist.`
    throw new SandboxError({ status: 404, message, param: 'model', code: 'model_not_found' })
  }
  const faults = readFaults([suffix, request.headers.get('x-sandbox-fault') ?? ''], parts.faults)
  const headerPace = readPace(request.headers.get('x-sandbox-pace'))
  await delayHeaders(faults, request.signal, parts.sleep)
  const plan = () => makePlan(reading.request, faults.flags.has('split-utf8') ? SPLIT_REMARK : '')
  const pace = headerPace ?? plan().paceMs ?? parts.pace
  const faulty = faultyResponse(dialect, faults, reading)
  return faulty ?? respond({ dialect, reading, plan, faults }, request.signal, { ...parts, pace })
}

function readPace(header: string | null): number | undefined {
  if (header === null) return undefined
  const pace = /^\d{1,5}$/.test(header) ? Number(header) : Number.NaN
  if (pace <= MOST_PACE_MS) return pace
  throw badRequest(`The header x-sandbox-pace takes a whole number of milliseconds up to ${MOST_PACE_MS}.`)
}

async function delayHeaders(faults: Faults, signal: AbortSignal, sleep: Sleep): Promise<void> {
  if (faults.flags.has('hang')) await whenAborted(signal)
  const delay = numberOf(faults, 'slow-headers', 0)
  if (delay !== undefined) await sleep(delay, signal)
  signal.throwIfAborted()
}

/** Faults that replace the whole answer. */
function faultyResponse(dialect: SandboxDialect, faults: Faults, reading: DecodedRequest): Response | undefined {
  const status = numberOf(faults, 'status', 500)
  if (status !== undefined)
    return errorResponse(dialect, { status, message: `[sandbox] The fault switch asked for status ${status}.` })
  if (faults.redirect !== undefined)
    return new Response(null, { status: 302, headers: { ...LABELLED, location: faults.redirect } })
  if (faults.flags.has('html'))
    return new Response(HTML, { headers: { ...LABELLED, 'content-type': 'text/html; charset=utf-8' } })
  if (faults.flags.has('empty'))
    return new Response('', { headers: { ...LABELLED, 'content-type': typeOf(faults, reading) } })
  return undefined
}

type Answer = { dialect: SandboxDialect; reading: DecodedRequest; plan: () => Plan; faults: Faults }

function respond({ dialect, reading, plan, faults }: Answer, gone: AbortSignal, parts: Parts): Response {
  const { request: ask, model, delivery } = reading
  const id = ask.fingerprint.slice(0, 24)
  const head: Head = { id, created: Math.floor(parts.clock() / 1000), model }
  const quirks = quirksOf(faults)
  // A plan can be consumed once: a second answer needs its own.
  const events = () => reading.events(plan(), head, quirks)
  const steps =
    delivery === 'single'
      ? singleSteps(dialect, reading.body(plan(), head, quirks), faults)
      : streamSteps(
          dialect,
          { events: faults.flags.has('twice') ? twice(events) : events(), delivery, paceMs: parts.pace },
          faults,
        )
  const headers: Record<string, string> = {
    ...LABELLED,
    'content-type': typeOf(faults, reading),
    [dialect.requestIdHeader]: `req_${id}`,
  }
  const body: ReadableStream<Compressible> = bodyOf(steps, gone, parts.sleep)
  if (!faults.flags.has('gzip')) return new Response(body, { headers })
  const compressed = body.pipeThrough(new CompressionStream('gzip'))
  return new Response(compressed, { headers: { ...headers, 'content-encoding': 'gzip' } })
}

function* twice(events: () => Iterable<StreamEvent>): Generator<StreamEvent> {
  yield* events()
  yield* events()
}

/** The compiler's types do not export a name for this type. */
type Compressible = CompressionStream['writable'] extends WritableStream<infer Chunk> ? Chunk : never

const LABELLED = { 'x-sandbox': 'true' }

function typeOf(faults: Faults, { delivery }: DecodedRequest): string {
  if (faults.flags.has('wrong-type')) return 'text/plain; charset=utf-8'
  return delivery === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8'
}

function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...LABELLED, ...headers } })
}

export function errorResponse(dialect: SandboxDialect, info: SandboxErrorInfo): Response {
  return json(dialect.errorBody(info), info.status, errorHeaders(info.status))
}
