// An unstreamed chat reply: what settlement needs from it, and the model's name as the client knows it.

import type { Finish, FinishReason } from '../../../canonical/finish.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { fieldNamed, type JsonField, scanObject } from '../../../framing/json/json-scan.ts'
import { MUTED, newWalk, resetWalk, type Walk, walkJson, watchList } from '../../../framing/json/json-walk.ts'
import { splice } from '../../../framing/splice.ts'
import { decodeUsage, SOURCE_LISTS, usageOfBody } from '../reply/usage.ts'

export type ByteRange = { start: number; end: number }

export type ChatReply =
  | {
      ok: true
      usage: Usage | undefined
      /** The finish of the last choice that has one. */
      finish: Finish | undefined
      /** Bytes of text, reasoning, refusal and tool arguments of all choices, for counting when usage is missing. */
      outputBytes: number
      choices: number
      /** The top-level `model` value with its quotes. */
      model: ByteRange | undefined
    }
  | {
      ok: false
      problem: 'not_json' | 'error' | 'no_choices'
      message: string
      /** The parsed body of an error reply. */
      body: unknown
    }

/** Up to this size parsing the whole reply costs less than looking for the few things in it that matter. */
const PARSED_IN_FULL = 16 * 1024

/** `locateModel`: where the model's name stands is wanted too, to replace it. */
export function readChatReply(bytes: Uint8Array, codec: Codec, locateModel = true): ChatReply {
  let ordinary: Extract<ChatReply, { ok: true }> | undefined
  if (bytes.length <= PARSED_IN_FULL) {
    const body = parse(bytes, 0, bytes.length, codec)
    if (body === undefined) return rejected('not_json', 'The reply is not valid JSON')
    ordinary = ordinaryReply(body)
    if (ordinary !== undefined && !locateModel) return ordinary
  }
  const scan = scanObject(bytes, codec)
  if (!scan.ok) return rejected('not_json', `The reply ${scan.message} (byte ${scan.offset})`)
  const field = (name: string) => {
    const found = fieldNamed(scan.fields, name)
    return found?.kind === 'null' ? undefined : found
  }
  if (field('error') !== undefined) {
    const body = parse(bytes, 0, bytes.length, codec)
    return rejected('error', errorMessage(body) ?? 'The upstream answered with an error', body)
  }
  const parsedField = (name: string): unknown => {
    const { start, end } = field(name) ?? { start: 0, end: 0 }
    return parse(bytes, start, end, codec)
  }
  const choices = field('choices')
  if (choices?.kind !== 'array' || choices.count === 0) {
    const body = bytes.length <= PARSED_IN_FULL ? parse(bytes, 0, bytes.length, codec) : undefined
    return rejected('no_choices', 'The reply has no choices', body)
  }

  resetWalk(walk)
  walkJson(bytes, choices.start, choices.end, CHOICES_DEPTH, CHAT_NAMES, DELTA, walk)
  const usage = (): Usage | undefined =>
    decodeUsage(parsedField('usage'), {
      tier: parsedField('service_tier'),
      searched: isNoted(walk, CITED) || SOURCE_LISTS.some((name) => (field(name)?.count ?? 0) > 0),
    })
  return {
    ok: true,
    usage: ordinary === undefined ? usage() : ordinary.usage,
    finish: finishAt(bytes, walk, codec),
    outputBytes: outputBytes(walk),
    choices: choices.count,
    model: rangeOfModel(scan.fields),
  }
}

function rangeOfModel(fields: readonly JsonField[]): ByteRange | undefined {
  const model = fieldNamed(fields, 'model')
  return model?.kind === 'string' ? { start: model.start, end: model.end } : undefined
}

/** A reply with choices and full usage, read from what it parses to; undefined when it takes a closer look. */
function ordinaryReply(body: unknown): Extract<ChatReply, { ok: true }> | undefined {
  if (!isObject(body) || !Array.isArray(body.choices) || body.choices.length === 0) return undefined
  if (body.error !== undefined && body.error !== null) return undefined
  const usage = usageOfBody(body)
  if (usage?.input === undefined || usage.output === undefined) return undefined
  let finish: Finish | undefined
  let spoken = 0
  for (const choice of body.choices) {
    if (!isObject(choice)) return undefined
    if (typeof choice.finish_reason === 'string') finish = chatFinish(choice.finish_reason)
    spoken += spokenLength(choice.message)
  }
  // Characters, not bytes: usage was reported, so this is only what later holds learn from.
  return { ok: true, usage, finish, outputBytes: spoken, choices: body.choices.length, model: undefined }
}

function spokenLength(message: unknown): number {
  if (!isObject(message)) return 0
  const texts = lengthOf(message.content) + lengthOf(message.reasoning_content) + lengthOf(message.refusal)
  if (!Array.isArray(message.tool_calls)) return texts
  let total = texts
  for (const call of message.tool_calls)
    if (isObject(call) && isObject(call.function)) total += lengthOf(call.function.arguments)
  return total
}

const lengthOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0)

// One for all replies: reading one is synchronous and keeps nothing of it.
const walk = newWalk()

/** The reply with another model name, every other byte as it was. */
export function renameModel(bytes: Uint8Array, range: ByteRange, model: string, codec: Codec): Uint8Array {
  const { start, end } = range
  return splice(bytes, [{ start, end, bytes: codec.encode(JSON.stringify(model)) }], codec)
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: 'completed',
  length: 'incomplete',
  content_filter: 'content_filtered',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  // Words of compatible services.
  model_length: 'incomplete',
  max_tokens: 'incomplete',
  insufficient_system_resource: 'incomplete',
  error: 'incomplete',
  tool_use: 'tool_calls',
}

/** An unknown word is still an ending that the upstream chose, so it counts as complete and stays visible as `raw`. */
export function chatFinish(raw: string): Finish {
  return { raw, unified: Object.hasOwn(FINISH, raw) ? (FINISH[raw] ?? 'completed') : 'completed' }
}

// What a walk over a reply or a chunk looks for. Texts may stand as content parts, hence `text` and `thinking`.
const OUTPUT = 1
const REASONING = 2
const REASONING_CONTENT = 3
export const MODEL = 8
export const CHOICES = 9
export const USAGE = 10
export const ERROR = 11
export const FINISH_REASON = 12
export const DELTA = 13
/** Output that is not text: a tool call that begins, audio, images. */
export const OTHER_OUTPUT = 14
/** Pages that the service found: the answer was searched for. */
export const CITED = 15
/** The depth at which the `choices` array itself stands. */
const CHOICES_DEPTH = 1

export const CHAT_NAMES = watchList([
  { name: 'content', code: OUTPUT },
  { name: 'refusal', code: OUTPUT },
  { name: 'arguments', code: OUTPUT },
  { name: 'input', code: OUTPUT },
  { name: 'text', code: OUTPUT },
  { name: 'thinking', code: OUTPUT },
  { name: 'reasoning', code: REASONING },
  { name: 'reasoning_content', code: REASONING_CONTENT },
  // Say again what stands elsewhere, or are not the model's words.
  { name: 'reasoning_details', code: MUTED },
  { name: 'logprobs', code: MUTED },
  { name: 'annotations', code: MUTED },
  { name: 'model', code: MODEL, depths: [1] },
  { name: 'choices', code: CHOICES, depths: [1] },
  { name: 'usage', code: USAGE, depths: [1, 3] },
  { name: 'error', code: ERROR, depths: [1] },
  { name: 'finish_reason', code: FINISH_REASON, depths: [3] },
  { name: 'delta', code: DELTA, depths: [3] },
  { name: 'tool_calls', code: OTHER_OUTPUT, depths: [4] },
  { name: 'function_call', code: OTHER_OUTPUT, depths: [4] },
  { name: 'audio', code: OTHER_OUTPUT, depths: [4] },
  { name: 'images', code: OTHER_OUTPUT, depths: [4] },
  // Citations: in an annotation, and in lists of sources beside the choices.
  { name: 'url_citation', code: CITED, depths: [6] },
  ...SOURCE_LISTS.map((name) => ({ name, code: CITED, depths: [1] })),
])

/** Services in transition give the same reasoning under both names, so only the longer one counts. */
export function outputBytes(walk: Walk): number {
  const reasoning = walk.textBytes[REASONING] ?? 0
  const reasoningContent = walk.textBytes[REASONING_CONTENT] ?? 0
  return (walk.textBytes[OUTPUT] ?? 0) + Math.max(reasoning, reasoningContent)
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The parsed value, or undefined when it is not JSON. */
export function parse(bytes: Uint8Array, start: number, end: number, codec: Codec): unknown {
  try {
    return JSON.parse(codec.decode(bytes, start, end))
  } catch {
    return undefined
  }
}

/** The message of an error body in any of the usual shapes. */
export function errorMessage(body: unknown): string | undefined {
  if (!isObject(body)) return undefined
  if (typeof body.error === 'string') return body.error
  const holder = isObject(body.error) ? body.error : body
  return typeof holder.message === 'string' ? holder.message : undefined
}

const isNoted = (walk: Walk, code: number): boolean => (walk.noted & (1 << code)) !== 0

/** The finish reason that the walk noted. */
export function finishAt(bytes: Uint8Array, walk: Walk, codec: Codec): Finish | undefined {
  if (!isNoted(walk, FINISH_REASON)) return undefined
  const raw = parse(bytes, walk.starts[FINISH_REASON] ?? 0, walk.ends[FINISH_REASON] ?? 0, codec)
  return typeof raw === 'string' ? chatFinish(raw) : undefined
}

function rejected(problem: 'not_json' | 'error' | 'no_choices', message: string, body?: unknown): ChatReply {
  return { ok: false, problem, message, body }
}
