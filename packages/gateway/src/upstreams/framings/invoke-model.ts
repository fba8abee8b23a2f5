// InvokeModel: the model is in the path, betas are in the body, and streams are Amazon's binary ones.
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import { readHostedRequest } from '@trivium/protocol/dialects/messages/hosted/hosted-request.ts'
import { type AmazonFrame, BrokenEventStream, openAmazonEvents } from '@trivium/protocol/framing/amazon-events.ts'
import { codec } from '../../bytes/codec.ts'
import type { OutgoingRequest } from '../outgoing.ts'
import { bytesOf, changedReply, changedStream, type Frame, pathStep, withoutQuery } from './framing.ts'

const VERSION = { name: 'anthropic_version', json: '"bedrock-2023-05-31"' }
const BETAS = 'anthropic-beta'
const OWN_HEADERS = [BETAS, 'anthropic-version']
const EVENT_STREAM = 'application/vnd.amazon.eventstream'

export const invokeModel: Frame = (outgoing) => {
  const bytes = outgoing.method === undefined ? bytesOf(outgoing) : undefined
  if (!bytes) return { sent: outgoing }
  const request = readHostedRequest(bytes, codec)
  const isCount = withoutQuery(outgoing.path).endsWith('/count_tokens')
  const edits = { set: [VERSION, ...betasIn(outgoing)], remove: ['model', 'stream'] }
  const method = isCount ? 'count-tokens' : request.stream ? 'invoke-with-response-stream' : 'invoke'
  const sent: OutgoingRequest = {
    ...outgoing,
    path: `/model/${pathStep(request.model)}/${method}`,
    headers: { ...without(outgoing.headers, OWN_HEADERS), accept: request.stream ? EVENT_STREAM : 'application/json' },
    body: isCount ? countBody(request.body({ ...edits, add: [ANY_CAP] })) : request.body(edits),
  }
  if (isCount) return { sent, read: (reply) => changedReply(reply, countIn) }
  return { sent, read: (reply) => (isBinary(reply) ? readEvents(reply) : reply) }
}

function betasIn({ headers }: OutgoingRequest): { name: string; json: string }[] {
  const betas = (headers[BETAS] ?? '').split(',').flatMap((beta) => beta.trim() || [])
  return betas.length === 0 ? [] : [{ name: 'anthropic_beta', json: JSON.stringify(betas) }]
}

const without = (headers: Record<string, string>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)))

/** What is counted is a request to invoke the model, and each of these has a cap. */
const ANY_CAP = { name: 'max_tokens', json: '1' }

const countBody = (body: readonly Uint8Array[]): Uint8Array[] => [
  Buffer.from(JSON.stringify({ input: { invokeModel: { body: Buffer.concat(body).toString('base64') } } })),
]

const countIn = (body: unknown): unknown => ({ input_tokens: (body as { inputTokens?: unknown } | null)?.inputTokens })

const isBinary = (reply: UpstreamResponse): boolean =>
  reply.status === 200 && (reply.header('content-type') ?? '').startsWith(EVENT_STREAM)

function readEvents(reply: UpstreamResponse): UpstreamResponse {
  const { push, end } = openAmazonEvents(codec)
  return changedStream(reply, 'text/event-stream', {
    take: (piece) => Buffer.from(push(piece).map(eventOf).join('')),
    end,
  })
}

/** The frame as an event of the dialect. */
function eventOf({ headers, payload }: AmazonFrame): string {
  const kind = headers.get(':message-type')
  const failure = headers.get(':exception-type') ?? headers.get(':error-code')
  if (kind === 'event' && headers.get(':event-type') === 'chunk') return chunkOf(payload)
  // What newer versions of the service may tell besides.
  if (kind === 'event') return ''
  if (failure === undefined) throw new BrokenEventStream(`a frame of the type ${kind ?? 'none'}`)
  const said = payload.length > 0 ? jsonIn(payload) : {}
  const message = said.originalMessage ?? said.message ?? headers.get(':error-message') ?? failure
  return sse('error', { type: 'error', error: { type: 'api_error', code: nameOf(failure, said), message } })
}

/** The name that the same failure has in an error response. */
function nameOf(failure: string, { originalStatusCode }: Json): string | number {
  return typeof originalStatusCode === 'number' ? originalStatusCode : failure[0]?.toUpperCase() + failure.slice(1)
}

type Json = Record<string, unknown>

const METRICS = 'amazon-bedrock-invocationMetrics'

function chunkOf(payload: Uint8Array): string {
  const { bytes } = jsonIn(payload)
  if (typeof bytes !== 'string') throw new BrokenEventStream('a chunk without bytes')
  const { [METRICS]: _metrics, ...event } = jsonIn(Buffer.from(bytes, 'base64'))
  if (typeof event.type !== 'string' || !/^\w+$/.test(event.type))
    throw new BrokenEventStream('an event without a type')
  return sse(event.type, event)
}

const sse = (type: string, event: Json): string => `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`

function jsonIn(bytes: Uint8Array): Json {
  try {
    const value: unknown = codec.parse(bytes)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  } catch {}
  throw new BrokenEventStream('a frame without JSON')
}
