// The body of POST /v1/completions and of the vendors' paths for code in the middle: a text that a model goes on with. Where an
// upstream serves such a path, it gets these fields; else the text is the one message of a chat.

import {
  type Json,
  readFlag,
  readInteger,
  readString,
  unsupported,
  withoutUndefined,
  wrong,
} from '../../../canonical/reading.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { Pieces } from '../../../framing/splice.ts'
import type { PassThroughEdits, PassThroughRequest } from '../../pass-through.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { isGiven } from '../../shared/pass-through/priced-fields.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import { passThrough as chat } from '../pass-through.ts'

/** What a chat request does not have. */
const OWN = { prompt: 1, suffix: 1, echo: 1, logprobs: 1, best_of: 1 }
const NAMES = knownNames(
  namesOf(OWN, { model: 1, stream: 1, stream_options: 1, max_tokens: 1, n: 1, stop: 1, user: 1 }),
  {},
)
/** What the form of a response has no place for. */
const FOREIGN = [
  'messages',
  'tools',
  'functions',
  'tool_choice',
  'function_call',
  'response_format',
  'modalities',
] as const

const MOST_PROMPTS = 2_048
const MOST_OF_EACH = 128
const MOST_TOKEN = 2 ** 31 - 1
/** Few tokens have more, and a request that names ids is held for as many. */
const BYTES_PER_TOKEN = 4

/** Throws RequestError. */
export function readRequest(bytes: Uint8Array, codec: Codec, maxValues?: number): PassThroughRequest {
  const { body } = readBody(bytes, codec, NAMES, maxValues)
  const foreign = FOREIGN.find((name) => isGiven(body[name]))
  if (foreign !== undefined)
    throw wrong(foreign, `${foreign} is not a field of this endpoint. Use /v1/chat/completions`)
  const prompt = readPrompt(body)
  const suffix = readString(body, 'suffix') ?? ''
  const completions = Math.max(
    readInteger(body, 'best_of', 1, MOST_OF_EACH) ?? 1,
    readInteger(body, 'n', 1, MOST_OF_EACH) ?? 1,
  )
  const { prompt: _, suffix: __, echo: ___, logprobs: ____, best_of: _____, ...shared } = body
  const asChat = { ...shared, messages: [{ role: 'user', content: prompt.text }] }
  const request = chat.readRequest(codec.encode(JSON.stringify(asChat)), codec, undefined, maxValues)
  const own: PassThroughRequest = {
    ...request,
    choices: completions * prompt.count,
    textBytes: prompt.bytes + utf8Length(suffix),
    edited: (edits) => nativeBody(request, edits, body, codec),
  }
  return {
    ...own,
    body: request.body ?? asChat,
    edited: request.edited,
    native: { request: own, needed: neededIn(body, prompt, completions) },
  }
}

type Prompt = { text: string; count: number; bytes: number; isText: boolean }

const KINDS = 'a string, an array of strings, an array of token ids or an array of such arrays'

function readPrompt({ prompt }: Json): Prompt {
  if (typeof prompt === 'string') return { text: prompt, count: 1, bytes: utf8Length(prompt), isText: true }
  if (prompt === undefined || prompt === null) throw wrong('prompt', 'prompt is required')
  if (!Array.isArray(prompt) || prompt.length === 0) throw wrong('prompt', `prompt must be ${KINDS}`)
  if (isTokens(prompt)) return { text: '', count: 1, bytes: prompt.length * BYTES_PER_TOKEN, isText: false }
  if (prompt.length > MOST_PROMPTS) throw wrong('prompt', `prompt must not have more than ${MOST_PROMPTS} texts`)
  const texts = prompt.every((each) => typeof each === 'string')
  if (!texts && !prompt.every((each) => Array.isArray(each) && each.length > 0 && isTokens(each)))
    throw wrong('prompt', `prompt must be ${KINDS}`)
  const bytes = prompt.reduce<number>(
    (sum, each) => sum + (typeof each === 'string' ? utf8Length(each) : (each as unknown[]).length * BYTES_PER_TOKEN),
    0,
  )
  const [only] = prompt as readonly unknown[]
  const isText = texts && prompt.length === 1
  return { text: isText ? String(only) : '', count: prompt.length, bytes, isText }
}

const isTokens = (list: readonly unknown[]): boolean =>
  list.every((id) => Number.isInteger(id) && Number(id) >= 0 && Number(id) <= MOST_TOKEN)

/** The field that a chat cannot express. */
function neededIn(body: Json, { isText }: Prompt, completions: number): string | undefined {
  if (readString(body, 'suffix')) return 'suffix'
  if (readFlag(body, 'echo')) return 'echo'
  if (typeof body.logprobs === 'number' || body.logprobs === true) return 'logprobs'
  if (!isText) return 'prompt'
  return completions > (readInteger(body, 'n', 1, MOST_OF_EACH) ?? 1) ? 'best_of' : undefined
}

/** Why a chat cannot stand in for it. */
export const notInChat = (field: string) =>
  unsupported(field, `No upstream of this model serves text completions, and a chat cannot express ${field}.`)

/** The body with the edits that a chat request gets, and the fields that only this endpoint has. */
function nativeBody(request: PassThroughRequest, edits: PassThroughEdits, body: Json, codec: Codec): Pieces {
  const pieces = request.edited(edits)
  const text = pieces.map((piece) => codec.decode(piece, 0, piece.length)).join('')
  const {
    messages: _,
    max_completion_tokens: cap,
    safety_identifier: endUser,
    ...edited
  } = JSON.parse(text) as Record<string, unknown>
  const own = Object.fromEntries(Object.keys(OWN).flatMap((name) => (name in body ? [[name, body[name]]] : [])))
  // The names of chat that are newer than this endpoint.
  const older = withoutUndefined({ max_tokens: cap, user: endUser })
  const fields = Object.entries({ ...edited, ...own, ...older }).filter(([name]) => !edits.remove?.includes(name))
  return [codec.encode(JSON.stringify(Object.fromEntries(fields)))]
}
