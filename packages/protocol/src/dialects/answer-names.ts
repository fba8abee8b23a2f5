// What an answer calls itself, in any text dialect: for traces, which show nothing else of it. Only fields at known places are read,
// so nothing that the model says can be taken for one.

import type { Json } from '../canonical/reading.ts'
import type { Codec } from '../framing/codec.ts'
import { decodeString, fieldNamed, type JsonField, scanObject } from '../framing/json/json-scan.ts'

/** The upstream's id of the answer, and its name of the model that gave it. */
export type AnswerNames = { id: string | undefined; model: string | undefined }

/** What a dialect calls them. */
const IDS = ['id', 'responseId']
const MODELS = ['model', 'modelVersion']
/** Where the first event of a stream has the answer, unless it is the answer's first piece itself. */
const HOLDERS = ['message', 'response']

const LONGEST = 128
const PLAIN = /^[\x21-\x7e]+$/

/** `bytes`: a whole answer, or the data of one event. */
export function answerNames(bytes: Uint8Array, codec: Codec): AnswerNames {
  const scan = scanObject(bytes, codec)
  if (!scan.ok) return NONE
  const own = namesIn(scan.fields, bytes, codec)
  if (own.id !== undefined || own.model !== undefined) return own
  for (const name of HOLDERS) {
    const holder = fieldNamed(scan.fields, name)
    if (holder?.kind !== 'object') continue
    const inside = bytes.subarray(holder.start, holder.end)
    const held = scanObject(inside, codec)
    return held.ok ? namesIn(held.fields, inside, codec) : NONE
  }
  return NONE
}

const NONE: AnswerNames = { id: undefined, model: undefined }

const namesIn = (fields: readonly JsonField[], bytes: Uint8Array, codec: Codec): AnswerNames => ({
  id: named(fields, IDS, bytes, codec),
  model: named(fields, MODELS, bytes, codec),
})

function named(fields: readonly JsonField[], names: readonly string[], bytes: Uint8Array, codec: Codec) {
  for (const name of names) {
    const field = fieldNamed(fields, name)
    if (field?.kind !== 'string' || field.end - field.start > LONGEST + 2) continue
    const text = decodeString(bytes, field.start, field.end, codec)
    if (text !== undefined && PLAIN.test(text)) return text
  }
  return undefined
}

/** The temperature that a request asks for, in any text dialect. */
export function temperatureOf({ temperature, generationConfig }: Json): number | undefined {
  const asked = temperature ?? (generationConfig as Json | null | undefined)?.temperature
  return typeof asked === 'number' ? asked : undefined
}
