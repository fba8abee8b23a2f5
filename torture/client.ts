// A client of the four dialects that records what it received: the reference for the ledger after a crash.
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECT_IDS } from '@trivium/protocol/fixtures/recorded.ts'
import { type CallOptions, callIn } from '../test/support/requests/dialect-calls.ts'
import type { Random } from '../tools/simulation/random.ts'

export type Tokens = { input: number; output: number }

export type CallResult = {
  dialect: TextDialectId
  streamed: boolean
  /** Undefined if no headers arrived. */
  status: number | undefined
  requestId: string | undefined
  /** The response arrived completely: the whole JSON, or the dialect's last event. */
  complete: boolean
  usage: Tokens | undefined
  text: string
}

/** Never throws: of a broken connection the result is what arrived before. */
export async function call(
  dialect: TextDialectId,
  origin: string,
  secret: string,
  calling: CallOptions,
): Promise<CallResult> {
  const streamed = calling.streamed === true
  const seen: CallResult = {
    dialect,
    streamed,
    status: undefined,
    requestId: undefined,
    complete: false,
    usage: undefined,
    text: '',
  }
  // Requests usage, so that the client can compute the cost.
  const more =
    dialect === 'chat' && streamed ? { stream_options: { include_usage: true }, ...calling.more } : calling.more
  try {
    const response = await callIn(dialect, origin, secret, { ...calling, ...(more ? { more } : {}) })
    seen.status = response.status
    seen.requestId = response.headers.get('x-request-id') ?? undefined
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) seen.text += decoder.decode(chunk, { stream: true })
  } catch {
    // Killed, cut or disconnected: the result is incomplete.
  }
  return { ...seen, ...readAnswer(dialect, streamed, seen.status === 200 ? seen.text : '') }
}

type Json = Record<string, unknown>

export function readAnswer(
  dialect: TextDialectId,
  streamed: boolean,
  text: string,
): Pick<CallResult, 'complete' | 'usage'> {
  if (!streamed) {
    const body = parsed(text)
    const usage = body && figuresOf(dialect, body)
    return { complete: body !== undefined, usage: usage && merged([usage]) }
  }
  const frames = framesOf(text)
  const complete =
    dialect === 'chat' ? /data: ?\[DONE\]\r?\n/.test(text) : frames.some((frame) => isLast(dialect, frame))
  const usages = frames.flatMap((frame) => figuresOf(dialect, frame) ?? [])
  return { complete, usage: usages.length > 0 ? merged(usages) : undefined }
}

function framesOf(text: string): Json[] {
  const events = text.split('\n').flatMap((line) => (line.startsWith('data:') ? [parsed(line.slice(5))] : []))
  return events.filter((event) => event !== undefined)
}

/** The text of the complete events of a stream. */
export function textOf(dialect: TextDialectId, stream: string): string {
  type Said = { delta?: unknown; choices?: { delta?: { content?: string } }[]; candidates?: Candidate[] }
  type Candidate = { content?: { parts?: { text?: string }[] } }
  const saidIn = (frame: Said): string | undefined => {
    if (dialect === 'chat') return frame.choices?.[0]?.delta?.content
    if (dialect === 'responses') return typeof frame.delta === 'string' ? frame.delta : undefined
    if (dialect === 'messages') return (frame.delta as { text?: string } | undefined)?.text
    return frame.candidates?.[0]?.content?.parts?.map(({ text = '' }) => text).join('')
  }
  return framesOf(stream)
    .map((frame) => saidIn(frame) ?? '')
    .join('')
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

function isLast(dialect: TextDialectId, frame: Json): boolean {
  if (dialect === 'messages') return frame.type === 'message_stop'
  if (dialect === 'responses') return frame.type === 'response.completed' || frame.type === 'response.incomplete'
  return (frame.candidates as { finishReason?: string }[] | undefined)?.[0]?.finishReason !== undefined
}

/** Some dialects report usage in several events: the later ones win. */
function merged(usages: Partial<Tokens>[]): Tokens {
  const last = (name: keyof Tokens) => usages.findLast((each) => each[name] !== undefined)?.[name] ?? 0
  return { input: last('input'), output: last('output') }
}

function figuresOf(dialect: TextDialectId, body: Json): Partial<Tokens> | undefined {
  const inner = (body.message ?? body.response ?? body) as Json
  const usage = (dialect === 'generate-content' ? body.usageMetadata : (body.usage ?? inner.usage)) as Json | undefined
  if (!usage) return undefined
  const known = (...names: string[]) => names.map((name) => usage[name]).find((value) => typeof value === 'number')
  const input = known('prompt_tokens', 'input_tokens', 'promptTokenCount') as number | undefined
  const output = known('completion_tokens', 'output_tokens', 'candidatesTokenCount') as number | undefined
  const thoughts = (known('thoughtsTokenCount') ?? 0) as number
  return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output: output + thoughts }) }
}

/** The field that limits the output. */
export function capIn(dialect: TextDialectId, tokens: number): Record<string, unknown> {
  if (dialect === 'generate-content') return { generationConfig: { maxOutputTokens: tokens } }
  return dialect === 'responses' ? { max_output_tokens: tokens } : { max_tokens: tokens }
}

/** A random dialect, model, form and length; `over-chat` and so on are the tests' models. */
export function randomCall(random: Random): { dialect: TextDialectId; calling: CallOptions } {
  const dialect = random.pick(TEXT_DIALECT_IDS) ?? 'chat'
  const upstream = random.pick(TEXT_DIALECT_IDS) ?? 'chat'
  const prompt = `say ${random.between(1, 120)} words, pace ${random.below(8)} ms`
  return { dialect, calling: { model: `over-${upstream}`, streamed: random.chance(0.6), prompt } }
}
