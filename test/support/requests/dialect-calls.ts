// Plain HTTP requests in any of the four text dialects, for what an SDK does not send or does not show.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'

export type CallOptions = {
  model: string
  prompt?: string
  streamed?: boolean
  /** More fields of the body, in the dialect's format. */
  more?: Record<string, unknown>
  headers?: Record<string, string>
  signal?: AbortSignal
  /** The framing of a stream of generate-content. */
  alt?: string
}

export const PAIRS = TEXT_DIALECT_IDS.flatMap((client) =>
  TEXT_DIALECT_IDS.map((upstream): [client: TextDialectId, upstream: TextDialectId] => [client, upstream]),
)

export const CLIENTS = TEXT_DIALECT_IDS.map((id): [TextDialectId] => [id])

/** The path of an upstream's base URL. */
export const BASE_PATH: Record<TextDialectId, string> = {
  chat: '/v1',
  responses: '/v1',
  messages: '',
  'generate-content': '/v1beta',
}

const PROMPT = 'Tell me something of about this length.'

export const pathIn = (dialect: TextDialectId, { model, streamed = false, alt = 'sse' }: CallOptions): string => {
  if (dialect === 'chat') return '/v1/chat/completions'
  if (dialect === 'responses') return '/v1/responses'
  if (dialect === 'messages') return '/v1/messages'
  const verb = streamed ? `streamGenerateContent?alt=${alt}` : 'generateContent'
  return `/v1beta/models/${model}:${verb}`
}

export const headersIn = (dialect: TextDialectId, secret: string): Record<string, string> => ({
  'content-type': 'application/json',
  ...(dialect === 'messages' ? { 'x-api-key': secret, 'anthropic-version': '2023-06-01' } : {}),
  ...(dialect === 'generate-content' ? { 'x-goog-api-key': secret } : {}),
  ...(dialect === 'chat' || dialect === 'responses' ? { authorization: `Bearer ${secret}` } : {}),
})

export function bodyIn(
  dialect: TextDialectId,
  { model, prompt = PROMPT, streamed = false, more = {} }: CallOptions,
): Record<string, unknown> {
  const messages = [{ role: 'user', content: prompt }]
  if (dialect === 'chat') return { model, stream: streamed, messages, ...more }
  if (dialect === 'responses') return { model, stream: streamed, input: prompt, ...more }
  if (dialect === 'messages') return { model, stream: streamed, max_tokens: 10_000, messages, ...more }
  return { contents: [{ role: 'user', parts: [{ text: prompt }] }], ...more }
}

/** Only the required fields. */
export const MINIMAL_BODIES: Readonly<Record<TextDialectId, (model: string) => Record<string, unknown>>> = {
  chat: (model) => ({ model, messages: [{ role: 'user', content: 'hi' }] }),
  responses: (model) => ({ model, input: 'hi' }),
  messages: (model) => ({ model, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] }),
  'generate-content': () => ({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
}

export function callIn(
  dialect: TextDialectId,
  origin: string,
  secret: string,
  calling: CallOptions,
): Promise<Response> {
  return fetch(origin + pathIn(dialect, calling), {
    method: 'POST',
    headers: { ...headersIn(dialect, secret), ...calling.headers },
    body: JSON.stringify(bodyIn(dialect, calling)),
    ...(calling.signal ? { signal: calling.signal } : {}),
  })
}

/** An error, parsed from its dialect. `field`: the field that it names, if any. */
export type DialectError = { type: string; message: string; field: string | undefined }

/** Throws unless the body is an error of this dialect. */
export function errorIn(dialect: TextDialectId, body: unknown): DialectError {
  const { error, type, request_id } = (body ?? {}) as Record<string, unknown>
  const said = (error ?? {}) as Record<string, unknown>
  const { message } = said
  if (typeof message !== 'string' || message.length < 10) throw new Error(`no error message: ${JSON.stringify(body)}`)
  if (dialect === 'chat' || dialect === 'responses') {
    mustBe(body, Object.keys(said).join() === 'message,type,param,code' && typeof said.type === 'string')
    return { type: String(said.type), message, field: said.param === null ? undefined : String(said.param) }
  }
  if (dialect === 'messages') {
    mustBe(body, type === 'error' && typeof said.type === 'string' && /^req_/.test(String(request_id)))
    return { type: String(said.type), message, field: /^[^\s:]+/.exec(message)?.[0] }
  }
  mustBe(body, typeof said.code === 'number' && typeof said.status === 'string')
  const details = (said.details ?? []) as { fieldViolations?: { field: string }[] }[]
  const field = details.flatMap(({ fieldViolations = [] }) => fieldViolations)[0]?.field
  return { type: String(said.status), message, field }
}

function mustBe(body: unknown, right: boolean): void {
  if (!right) throw new Error(`not an error of this dialect: ${JSON.stringify(body)}`)
}

/** The error at the end of a stream. Throws unless there is one in the format of this dialect. */
export function streamErrorIn(dialect: TextDialectId, text: string): DialectError {
  const events = text.split('\n').flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
  const last = JSON.parse(events.at(-1) ?? 'null') as Record<string, unknown>
  if (dialect !== 'responses') return errorIn(dialect, last)
  const failed = JSON.parse(events.at(-2) ?? 'null') as { type?: string; response?: { status?: string } }
  mustBe(failed, failed.type === 'response.failed' && failed.response?.status === 'failed')
  mustBe(last, last.type === 'error')
  const { type, message, param } = last.error as Record<string, string | null>
  return { type: String(type), message: String(message), field: param ?? undefined }
}

/** Reads up to and including `part`; returns that text, and a function that reads the rest. */
export async function readUntil(response: Response, part: string): Promise<{ begun: string; rest(): Promise<string> }> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const piece = async (): Promise<string | undefined> => {
    const read = await reader?.read()
    return read?.value ? decoder.decode(read.value, { stream: true }) : undefined
  }
  let begun = ''
  while (!begun.includes(part)) {
    const text = await piece()
    if (text === undefined) throw new Error(`ended without ${part}: ${begun}`)
    begun += text
  }
  const rest = async () => {
    let all = ''
    for (let text = await piece(); text !== undefined; text = await piece()) all += text
    return all
  }
  return { begun, rest }
}

/** The embedded model called in each dialect, as `over-chat` and so on, at the tests' prices. */
export function sandboxConfig(more = ''): string {
  const price = 'price: { input: 1, output: 4 }'
  const upstreams = TEXT_DIALECT_IDS.map((id) => `  - { id: over-${id}, kind: sandbox, dialect: ${id} }`)
  const models = TEXT_DIALECT_IDS.map(
    (id) => `  - { id: over-${id}, routes: [{ upstream: over-${id}, model: sandbox-text }], ${price} }`,
  )
  return `${more}\nsandbox: { faults: true }\nupstreams:\n${upstreams.join('\n')}\nmodels:\n${models.join('\n')}\n`
}
