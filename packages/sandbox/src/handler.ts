// The sandbox as a web-standard handler: called in-process by the gateway, or by its own server.
import { createHash } from 'node:crypto'
import { bodyOf, type Sleep, type Step, sleepFor, whenAborted } from './delivery/body.ts'
import { type Faults, numberOf, quirksOf, readFaults, splitModel } from './delivery/faults.ts'
import { json, LABELLED } from './delivery/json.ts'
import { singleSteps, streamSteps } from './delivery/steps.ts'
import { chat } from './dialects/chat/index.ts'
import type { DecodedRequest, Head, IncomingRequest, SandboxDialect, StreamEvent } from './dialects/dialect.ts'
import { endpointOf } from './endpoints.ts'
import { readImageCall, renderOutcome } from './images/answer.ts'
import { type HostedImages, mediaTypeOf, openHostedImages } from './images/hosted-images.ts'
import { type ImageCall, SANDBOX_IMAGE } from './images/image-call.ts'
import { readDirectives } from './model/directives.ts'
import { makePlan } from './model/plan.ts'
import { SANDBOX_TEXT } from './model-list.ts'
import { dialectOf, errorFormOf, routeOf } from './paths.ts'
import { badRequest, SandboxError, type SandboxErrorInfo } from './request/errors.ts'
import { readCompletion } from './services/completions.ts'
import { answerSpeechContent } from './speech/content.ts'
import { openVideoEndpoints, type VideoEndpoints } from './video/endpoints.ts'

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

type Parts = {
  faults: boolean
  pace: number
  key: 'any' | 'none'
  clock: () => number
  sleep: Sleep
  hosted: HostedImages
  videos: VideoEndpoints
}

const DEFAULT_PACE_MS = 2
const MOST_PACE_MS = 60_000
const SPLIT_REMARK = ' (北京 🙂 é)'
const HTML = '<!doctype html><title>sandbox</title><p>[sandbox] Not the API you were looking for.</p>'

export function createSandbox(options: SandboxOptions): (request: Request) => Promise<Response> {
  const defaults = { pace: DEFAULT_PACE_MS, key: 'any', clock: Date.now, sleep: sleepFor } as const
  const chosen = { ...defaults, ...options }
  const parts: Parts = { ...chosen, hosted: openHostedImages(), videos: openVideoEndpoints(chosen) }
  return async (request) => {
    const url = new URL(request.url)
    try {
      return await answer(request, url, parts)
    } catch (thrown) {
      if (thrown instanceof SandboxError) return errorResponse(errorFormOf(url.pathname), thrown.info)
      throw thrown
    }
  }
}

async function answer(request: Request, url: URL, parts: Parts): Promise<Response> {
  const hosted = request.method === 'GET' ? parts.hosted.find(url.pathname) : undefined
  if (hosted !== undefined)
    return new Response(hosted, { headers: { ...LABELLED, 'content-type': mediaTypeOf(hosted) } })
  const video = request.method === 'GET' ? parts.videos.hosted(url.pathname, request.signal) : undefined
  if (video !== undefined) return video
  const found = routeOf(request.method, url.pathname)
  if (found === undefined) {
    const message = `Invalid URL (${request.method} ${url.pathname})`
    throw new SandboxError({ status: 404, message, code: 'unknown_url' })
  }
  const { route, parameter } = found
  const endpoint = endpointOf(route)
  if (parts.key === 'any' && endpoint?.needsKey !== false && !hasKey(request.headers, url)) {
    throw new SandboxError({ status: 401, message: "You didn't provide an API key: send Authorization: Bearer KEY." })
  }
  if (endpoint !== undefined) return endpoint.answer(request, url)
  const videos = parts.videos.answer(route, parameter, request, url)
  if (videos !== undefined) return videos
  const { count } = dialectOf(url.pathname)
  if (count !== undefined && route.endsWith('-count-tokens')) return answerCount(count, request, url, parts)
  const bytes = route === 'image-edits' ? NO_BYTES : await request.bytes()
  const completion = readCompletion(route, bytes)
  if (completion !== undefined)
    return completion.shaped(
      await answerPrompt({ bytes: completion.bytes, url, headers: request.headers }, request, chat, parts),
    )
  const speech = answerSpeechContent(url, bytes)
  if (speech !== undefined) return speech
  const images = await readImageCall(route, request, url, bytes)
  return images === undefined
    ? answerPrompt({ bytes, url, headers: request.headers }, request, dialectOf(url.pathname), parts)
    : answerImages(images, request, url, parts)
}

const NO_BYTES = new Uint8Array(0)

/** Any key, in any place where an SDK sends it. */
function hasKey(headers: Headers, url: URL): boolean {
  if (/^Bearer\s+\S/i.test(headers.get('authorization') ?? '')) return true
  return ['x-api-key', 'x-goog-api-key'].some((name) => headers.get(name)) || Boolean(url.searchParams.get('key'))
}

async function answerPrompt(
  incoming: IncomingRequest,
  request: Request,
  dialect: SandboxDialect,
  parts: Parts,
): Promise<Response> {
  const reading = dialect.decode(incoming)
  const { faults, headerPace } = await readSwitches(request, reading.model, [SANDBOX_TEXT], parts)
  const plan = () => makePlan(reading.request, faults.flags.has('split-utf8') ? SPLIT_REMARK : '')
  const pace = headerPace ?? plan().paceMs ?? parts.pace
  const { model, delivery } = reading
  const head = headOf(reading.request.fingerprint, model, parts)
  const quirks = quirksOf(faults)
  const answer: Answer = {
    dialect,
    delivery,
    faults,
    id: head.id,
    firstMs: 0,
    // A plan can be consumed once: a second answer needs its own.
    body: () => reading.body(plan(), head, quirks),
    events: () => reading.events(plan(), head, quirks),
  }
  return faultyResponse(answer) ?? respond(answer, request.signal, { ...parts, pace })
}

/** What the prompt would be billed. */
async function answerCount(
  count: NonNullable<SandboxDialect['count']>,
  request: Request,
  url: URL,
  parts: Parts,
): Promise<Response> {
  const { model, request: prompt } = count.decode({ bytes: await request.bytes(), url, headers: request.headers })
  const { faults } = await readSwitches(request, model, [SANDBOX_TEXT], parts)
  const dialect = dialectOf(url.pathname)
  return faultyResponse({ dialect, faults, delivery: 'single' }) ?? json(count.body(makePlan(prompt).promptTokens))
}

/** Images take time: the pace is also waited for before the first byte. */
async function answerImages(call: ImageCall, request: Request, url: URL, parts: Parts): Promise<Response> {
  const { faults, headerPace } = await readSwitches(request, call.model, [SANDBOX_IMAGE, SANDBOX_TEXT], parts)
  const pace = headerPace ?? readDirectives(call.order.prompt, []).paceMs ?? parts.pace
  const { dialect, delivery } = call
  const head = headOf(createHash('sha256').update(call.fingerprint).digest('hex'), call.model, parts)
  const answer = { dialect, delivery, faults, id: head.id, firstMs: pace }
  const faulty = faultyResponse(answer)
  if (faulty !== undefined) return faulty
  const outcome = await renderOutcome(call, faults)
  const wantsUrls = call.wantsUrls || faults.flags.has('image-url')
  const urls = wantsUrls && delivery === 'single' ? parts.hosted.add(outcome.images, url.origin) : undefined
  const made: Answer = {
    ...answer,
    body: () => call.body(outcome, head, urls),
    events: () => call.events(outcome, head),
  }
  return respond(made, request.signal, { ...parts, pace })
}

const headOf = (fingerprint: string, model: string, { clock }: Parts): Head => ({
  id: fingerprint.slice(0, 24),
  created: Math.floor(clock() / 1000),
  model,
})

/** What the model's name and the headers select, after the delay that they ask for. */
async function readSwitches(
  { headers, signal }: Request,
  model: string,
  models: readonly string[],
  parts: Parts,
): Promise<{ faults: Faults; headerPace: number | undefined }> {
  const { name, faults: suffix } = splitModel(model)
  if (!models.includes(name)) {
    const message = `The model '${model}' does not exist.`
    throw new SandboxError({ status: 404, message, param: 'model', code: 'model_not_found' })
  }
  const faults = readFaults([suffix, headers.get('x-sandbox-fault') ?? ''], parts.faults)
  const headerPace = readPace(headers.get('x-sandbox-pace'))
  await delayHeaders(faults, signal, parts.sleep)
  return { faults, headerPace }
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
function faultyResponse({
  dialect,
  faults,
  delivery,
}: Pick<Answer, 'dialect' | 'faults' | 'delivery'>): Response | undefined {
  const status = numberOf(faults, 'status', 500)
  if (status !== undefined)
    return errorResponse(dialect, { status, message: `[sandbox] Injected fault: status ${status}.` })
  if (faults.redirect !== undefined)
    return new Response(null, { status: 302, headers: { ...LABELLED, location: faults.redirect } })
  if (faults.flags.has('html'))
    return new Response(HTML, { headers: { ...LABELLED, 'content-type': 'text/html; charset=utf-8' } })
  if (faults.flags.has('empty'))
    return new Response('', { headers: { ...LABELLED, 'content-type': typeOf(faults, delivery) } })
  return undefined
}

type Answer = {
  dialect: SandboxDialect
  delivery: DecodedRequest['delivery']
  faults: Faults
  /** The answer's id, in hexadecimal. */
  id: string
  /** Milliseconds before the first byte of the body. */
  firstMs: number
  body(): Iterable<string>
  events(): Iterable<StreamEvent>
}

function respond(answer: Answer, gone: AbortSignal, parts: Parts): Response {
  const { dialect, delivery, faults, id, firstMs, body: pieces, events } = answer
  const steps =
    delivery === 'single'
      ? singleSteps(dialect, pieces(), faults)
      : streamSteps(
          dialect,
          { events: faults.flags.has('twice') ? twice(events) : events(), delivery, paceMs: parts.pace },
          faults,
        )
  const headers: Record<string, string> = {
    ...LABELLED,
    'content-type': typeOf(faults, delivery),
    [dialect.requestIdHeader]: `req_${id}`,
  }
  const body: ReadableStream<Compressible> = bodyOf(delayed(firstMs, steps), gone, parts.sleep)
  if (!faults.flags.has('gzip')) return new Response(body, { headers })
  const compressed = body.pipeThrough(new CompressionStream('gzip'))
  return new Response(compressed, { headers: { ...headers, 'content-encoding': 'gzip' } })
}

function* delayed(ms: number, steps: Generator<Step>): Generator<Step> {
  if (ms > 0) yield { type: 'wait', ms }
  yield* steps
}

function* twice(events: () => Iterable<StreamEvent>): Generator<StreamEvent> {
  yield* events()
  yield* events()
}

/** The compiler's types do not export a name for this type. */
type Compressible = CompressionStream['writable'] extends WritableStream<infer Chunk> ? Chunk : never

function typeOf(faults: Faults, delivery: DecodedRequest['delivery']): string {
  if (faults.flags.has('wrong-type')) return 'text/plain; charset=utf-8'
  return delivery === 'sse' ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8'
}

export function errorResponse(dialect: Pick<SandboxDialect, 'errorBody'>, info: SandboxErrorInfo): Response {
  return json(dialect.errorBody(info), info.status)
}
