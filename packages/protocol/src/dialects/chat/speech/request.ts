// The body of POST /v1/audio/speech: read, and as an upstream gets it.

import { isObject, type Json, readName, readNumber, readString, readWord, wrong } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { editFields, type Fields } from '../../../framing/json/edit-fields.ts'
import type { Pieces } from '../../../framing/splice.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import { addUnknownUrls, type NamedUrl } from '../../shared/pass-through/named-urls.ts'
import { readBody } from '../../shared/pass-through/request.ts'
import { ownFields } from '../../shared/pass-through/service-fields.ts'
import { SPEECH_FORMATS, type SpeechRequest } from '../../shared/speech/speech.ts'
import { unknownFields } from '../pass-through/vendor-fields.ts'

const FIELDS = { model: 1, input: 1, voice: 1, instructions: 1, response_format: 1, speed: 1, stream_format: 1 }
const NAMES = knownNames(namesOf(FIELDS), { voice: { own: namesOf({ id: 1 }) } })

export const MOST_CHARACTERS = 1_000_000
const MOST_INSTRUCTIONS = 32_768
/** Servers have settings of their own. What is longer might be text that is spoken, and has not been counted. */
const MOST_UNKNOWN_BYTES = 256

export type ReadSpeechRequest = SpeechRequest & { body: Uint8Array; scan: Fields }

/** Throws RequestError. */
export function decodeSpeechRequest(bytes: Uint8Array, codec: Codec): ReadSpeechRequest {
  const { body, scan } = readBody(bytes, codec, NAMES)
  const model = readName(body, 'model')
  if (model === undefined || model === '') throw wrong('model', 'model is required')
  const input = readString(body, 'input')
  if (input === undefined || input.trim() === '') throw wrong('input', 'input is required: the text to speak')
  const characters = charactersOf(input)
  if (characters > MOST_CHARACTERS) throw wrong('input', `input must have at most ${MOST_CHARACTERS} characters`)
  const instructions = readString(body, 'instructions')
  if (instructions !== undefined && instructions.length > MOST_INSTRUCTIONS)
    throw wrong('instructions', `instructions must have at most ${MOST_INSTRUCTIONS} characters`)
  const [voice, speed] = [voiceOf(body), readNumber(body, 'speed', 0.25, 4)]
  const format = readWord(body, 'response_format', SPEECH_FORMATS)
  const others = scan.fields.filter(({ name }) => !Object.hasOwn(FIELDS, name))
  const long = others.find(({ start, end }) => end - start > MOST_UNKNOWN_BYTES)
  if (long) throw wrong(long.name, `${long.name} is not a field of this endpoint`)
  const { urls, ...own } = unknownFields(body, FIELDS)
  // Servers take a sample of a voice for its name.
  const sample: NamedUrl[] = []
  addUnknownUrls(sample, 'voice', body.voice)
  return {
    ...own,
    urls: [...urls, ...sample],
    model,
    input,
    characters,
    ...(voice === undefined ? {} : { voice }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(speed === undefined ? {} : { speed }),
    ...(format === undefined ? {} : { format }),
    asEvents: readWord(body, 'stream_format', ['audio', 'sse']) === 'sse',
    unknown: others.map(({ name }) => name).filter((name) => ![...own.unpriced, ...ownFields(own)].includes(name)),
    body: bytes,
    scan,
  }
}

function voiceOf(body: Json): SpeechRequest['voice'] {
  const { voice } = body
  if (!isObject(voice)) return readName(body, 'voice')
  const id = readName(voice, 'id', 'voice')
  if (id === undefined || Object.keys(voice).length > 1)
    throw wrong('voice', 'voice must be a string, or an object with id')
  return { id }
}

function charactersOf(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

export type SpeechTarget = {
  /** The model's name at the upstream. */
  model: string
  /** Asked to stream events, whatever the client asked for. */
  asEvents: boolean
  /** Fields that the upstream does not have, by their wire names. */
  lacks: readonly string[]
  warn(field: string, reason: 'dropped' | 'no-price'): void
}

/** The client's bytes, with the few fields changed that must be. */
export function encodeSpeechRequest(
  { body, scan, unpriced, ...request }: Pick<ReadSpeechRequest, 'body' | 'scan' | 'unpriced' | 'attribution'>,
  { model, asEvents, lacks, warn }: SpeechTarget,
  codec: Codec,
): Pieces {
  const dropped = scan.fields.map(({ name }) => name).filter((name) => lacks.includes(name))
  // Whether there are events is between the gateway and each side of it.
  for (const name of dropped) if (name !== 'stream_format') warn(name, 'dropped')
  for (const name of unpriced) warn(name, 'no-price')
  const events = asEvents ? [{ name: 'stream_format', json: '"sse"' }] : []
  const remove = [...unpriced, ...ownFields(request), ...dropped, ...(asEvents ? [] : ['stream_format'])]
  return editFields(body, scan, { set: [{ name: 'model', json: JSON.stringify(model) }, ...events], remove }, codec)
}
