// Responses of a chat as those of text completions, and the other way round: whole ones, and streams of events as they come.

import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'

/** `text`: the texts stand in the choices. `chat`: in messages, as at the path of code in the middle. */
export type CompletionForm = 'text' | 'chat'

export function inForm(body: Json, form: CompletionForm): Json {
  if (!Array.isArray(body.choices)) return body
  const isChunk =
    /chunk$/.test(String(body.object)) || body.choices.some((each) => isObject(each) && isObject(each.delta))
  const choices = body.choices.map((each) => choiceIn(isObject(each) ? each : {}, form, isChunk))
  const object = form === 'text' ? 'text_completion' : `chat.completion${isChunk ? '.chunk' : ''}`
  return { ...body, object, choices }
}

function choiceIn(choice: Json, form: CompletionForm, isChunk: boolean): Json {
  const { message, delta, text, ...rest } = choice
  const said = isObject(message) ? message : isObject(delta) ? delta : { content: text }
  const words = typeof said.content === 'string' ? said.content : typeof said.refusal === 'string' ? said.refusal : ''
  if (form === 'text') return { text: words, logprobs: null, finish_reason: null, ...rest }
  return { ...rest, [isChunk || delta ? 'delta' : 'message']: { role: 'assistant', content: words } }
}

const DATA = 'data:'
const NEWLINE = 0x0a
const NO_BYTES = new Uint8Array(0)

/** A line of a stream. */
function lineIn(line: string, form: CompletionForm): string {
  if (!line.startsWith(DATA)) return line
  const body = parsedJson(line.slice(DATA.length))
  if (!isObject(body) || !Array.isArray(body.choices)) return line
  // Chunks of text completions name no kind of their own.
  const asChunk = form === 'chat' ? { ...body, object: 'chat.completion.chunk' } : body
  return `${DATA} ${JSON.stringify(inForm(asChunk, form))}`
}

export const framesInForm = (frames: string, form: CompletionForm): string =>
  frames
    .split('\n')
    .map((line) => lineIn(line, form))
    .join('\n')

/** Takes bytes that are cut anywhere, and gives whole lines. */
export function openFrames(form: CompletionForm, codec: Codec) {
  let rest: Uint8Array = NO_BYTES
  return {
    push(bytes: Uint8Array): Uint8Array {
      const end = bytes.lastIndexOf(NEWLINE) + 1
      if (end === 0) {
        rest = joined(rest, bytes)
        return NO_BYTES
      }
      const lines = joined(rest, bytes.subarray(0, end))
      rest = bytes.slice(end)
      return codec.encode(framesInForm(codec.decode(lines, 0, lines.length), form))
    },
    end(bytes: Uint8Array): Uint8Array {
      const all = joined(rest, bytes)
      rest = NO_BYTES
      return codec.encode(framesInForm(codec.decode(all, 0, all.length), form))
    },
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  if (one.length === 0) return other
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}
