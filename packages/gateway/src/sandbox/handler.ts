// The sandbox as a web-standard handler: called in-process by the gateway, or behind a socket of its own.
import { bodyOf, type Sleep, sleepFor, whenAborted } from './body.ts'
import { type ChatHead, chatBody, chatEvents } from './chat.ts'
import { type ChatRequest, readChatRequest } from './chat-request.ts'
import { badRequest, errorBody, errorHeaders, SandboxError, type SandboxErrorInfo } from './errors.ts'
import { type Faults, numberOf, quirksOf, readFaults, splitModel } from './faults.ts'
import { makePlan, type Plan } from './plan.ts'
import { singleSteps, streamSteps } from './steps.ts'

export type SandboxOptions = {
  /** Whether requests may ask for faults. */
  faults: boolean
  /** Milliseconds between the events of a stream, unless a request asks for another pace. */
  pace?: number
  /** `none`: requests need no key. */
  key?: 'any' | 'none'
  /** Milliseconds since 1970. */
  clock?: () => number
  sleep?: Sleep
}

type Parts = { faults: boolean; pace: number; key: 'any' | 'none'; clock: () => number; sleep: Sleep }

export const SANDBOX_TEXT = 'sandbox-text'
const DEFAULT_PACE_MS = 2
const MOST_PACE_MS = 60_000
const SPLIT_REMARK = ' (北京 🙂 é)'
const HTML = '<!doctype html><title>sandbox</title><p>[sandbox] Not the API you were looking for.</p>'

export function createSandbox(options: SandboxOptions): (request: Request) => Promise<Response> {
  const parts: Parts = { pace: DEFAULT_PACE_MS, key: 'any', clock: Date.now, sleep: sleepFor, ...options }
  return async (request) => {
    try {
      return await answer(request, parts)
    } catch (thrown) {
      if (thrown instanceof SandboxError) return errorResponse(thrown.info)
      throw thrown
    }
  }
}

async function answer(request: Request, parts: Parts): Promise<Response> {
  const route = `${request.method} ${new URL(request.url).pathname}`
  if (route === 'GET /health') return json({ status: 'ok', sandbox: true })
  if (route !== 'POST /v1/chat/completions' && route !== 'GET /v1/models') {
    throw new SandboxError({ status: 404, message: `Invalid URL (${route})`, code: 'unknown_url' })
  }
  if (parts.key === 'any' && !/^Bearer\s+\S/i.test(request.headers.get('authorization') ?? '')) {
    throw new SandboxError({ status: 401, message: "You didn't provide an API key: send Authorization: Bearer KEY." })
  }
  return route === 'GET /v1/models' ? listModels() : answerChat(request, parts)
}

function listModels(): Response {
  return json({ object: 'list', data: [{ id: SANDBOX_TEXT, object: 'model', created: 0, owned_by: 'sandbox' }] })
}

async function answerChat(request: Request, parts: Parts): Promise<Response> {
  const chat = readChatRequest(await request.bytes())
  const { name, faults: suffix } = splitModel(chat.model)
  if (name !== SANDBOX_TEXT) {
    const message = `The model '${chat.model}' does not exist.`
    throw new SandboxError({ status: 404, message, param: 'model', code: 'model_not_found' })
  }
  const faults = readFaults([suffix, request.headers.get('x-sandbox-fault') ?? ''], parts.faults)
  const headerPace = readPace(request.headers.get('x-sandbox-pace'))
  await delayHeaders(faults, request.signal, parts.sleep)
  const plan = makePlan(chat.ask, faults.flags.has('split-utf8') ? SPLIT_REMARK : '')
  const pace = headerPace ?? plan.paceMs ?? parts.pace
  return faultyResponse(faults, chat.stream) ?? respond(chat, plan, faults, request.signal, { ...parts, pace })
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

/** Faults that leave nothing of the answer. */
function faultyResponse(faults: Faults, stream: boolean): Response | undefined {
  const status = numberOf(faults, 'status', 500)
  if (status !== undefined)
    return errorResponse({ status, message: `[sandbox] The fault switch asked for status ${status}.` })
  if (faults.redirect !== undefined)
    return new Response(null, { status: 302, headers: { ...LABELLED, location: faults.redirect } })
  if (faults.flags.has('html'))
    return new Response(HTML, { headers: { ...LABELLED, 'content-type': 'text/html; charset=utf-8' } })
  if (faults.flags.has('empty'))
    return new Response('', { headers: { ...LABELLED, 'content-type': typeOf(faults, stream) } })
  return undefined
}

function respond(chat: ChatRequest, plan: Plan, faults: Faults, gone: AbortSignal, parts: Parts): Response {
  const { stream, includeUsage, model, ask } = chat
  const head: ChatHead = {
    id: `chatcmpl-${ask.fingerprint.slice(0, 24)}`,
    created: Math.floor(parts.clock() / 1000),
    model,
  }
  const quirks = quirksOf(faults)
  const steps = stream
    ? streamSteps(chatEvents(plan, head, includeUsage, quirks), faults, parts.pace)
    : singleSteps(chatBody(plan, head, quirks), faults)
  const headers: Record<string, string> = {
    ...LABELLED,
    'content-type': typeOf(faults, stream),
    'x-request-id': `req_${ask.fingerprint.slice(0, 24)}`,
  }
  const body: ReadableStream<Compressible> = bodyOf(steps, gone, parts.sleep)
  if (!faults.flags.has('gzip')) return new Response(body, { headers })
  const compressed = body.pipeThrough(new CompressionStream('gzip'))
  return new Response(compressed, { headers: { ...headers, 'content-encoding': 'gzip' } })
}

/** The name of this type is not among the ones the compiler is given. */
type Compressible = CompressionStream['writable'] extends WritableStream<infer Chunk> ? Chunk : never

const LABELLED = { 'x-sandbox': 'true' }

function typeOf(faults: Faults, stream: boolean): string {
  if (faults.flags.has('wrong-type')) return 'text/plain; charset=utf-8'
  return stream ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8'
}

function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers: { ...LABELLED, ...headers } })
}

export function errorResponse(info: SandboxErrorInfo): Response {
  return json(errorBody(info), info.status, errorHeaders(info.status))
}
