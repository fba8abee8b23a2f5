// The parts of POST /v1/audio/transcriptions and /v1/audio/translations, a multipart form: text fields in any order, and one
// file that the caller has spooled.

import {
  isObject,
  type Json,
  parsedJson,
  RequestError,
  readName,
  readNumber,
  readWord,
  unsupported,
  wrong,
} from '../../../canonical/reading.ts'
import { checkFormNames } from '../../shared/form-names.ts'
import { namesOf } from '../../shared/pass-through/known-names.ts'
import {
  type AudioFile,
  TRANSCRIPT_FORMATS,
  type TranscriptFormat,
  type TranscriptionRequest,
  type TranscriptionTask,
} from '../../shared/transcription/transcription.ts'
import { unknownFields } from '../pass-through/vendor-fields.ts'
import { audioTypeOf } from './audio-type.ts'

export type FormField = { name: string; value: string }
/** `content`: the extension of the audio or video that its content looks like. */
export type FormFile = {
  name: string
  filename: string | undefined
  contentType: string | undefined
  bytes: number
  content: string | undefined
  handle: string
}

const LISTS: readonly string[] = [
  ...(['timestamp_granularities', 'include', 'known_speaker_names', 'known_speaker_references'] as const),
]
const SINGLE = { file: 1, model: 1, language: 1, prompt: 1, response_format: 1, temperature: 1, stream: 1 }
export const FIELDS = {
  ...SINGLE,
  chunking_strategy: 1,
  ...Object.fromEntries(LISTS.map((name) => [name, 1])),
}
const NAMES = namesOf(FIELDS)

const FORMATS: Readonly<Record<TranscriptionTask, readonly TranscriptFormat[]>> = {
  transcribe: TRANSCRIPT_FORMATS,
  translate: TRANSCRIPT_FORMATS.filter((format) => format !== 'diarized_json'),
}

/** In any case: Python writes True. */
const FLAGS: Readonly<Record<string, boolean>> = { true: true, false: false, null: false, '1': true, '0': false }

/** Rejects files as they come, before their content is read. Throws RequestError. */
export function checkFile({ name }: Pick<FormFile, 'name'>, files: number): void {
  if (name !== 'file') {
    checkFormNames([name], NAMES, () => false)
    throw wrong(name, `${name} must not be a file: the audio is sent as file`)
  }
  if (files > 1) throw wrong('file', 'The form has the field file twice')
}

/** Throws RequestError. */
export function decodeTranscription(
  task: TranscriptionTask,
  written: readonly FormField[],
  files: readonly FormFile[],
): TranscriptionRequest {
  // Browsers send an input for files that was left empty as an empty file without a name.
  const chosen = files.filter(({ bytes, filename }) => bytes > 0 || filename !== '')
  for (const [index, file] of chosen.entries()) checkFile(file, index + 1)
  const names = [...written, ...chosen].map(({ name }) => name)
  checkFormNames(names, NAMES, (name) => LISTS.includes(name))
  // Some clients send all the fields of their form.
  const given = written.filter(({ value }) => value !== '')
  const { urls, unpriced, attribution } = unknownFields(unknownIn(given), {})
  const removed = [...unpriced, ...(attribution?.own ?? [])]
  // Nobody knows beforehand how long audio is that vendors fetch themselves.
  const elsewhere = given.find(({ name }) => /^file_id$/i.test(name))?.name ?? urls[0]?.field
  if (elsewhere !== undefined)
    throw unsupported(elsewhere, `${elsewhere} is not supported. Send the audio itself as file.`)
  const fields = given.filter(({ name }) => !removed.includes(baseOf(name)))
  if (fields.some(({ name }) => name === 'file')) throw wrong('file', 'file must be a file: send it with a filename')
  const values: Record<string, unknown> = Object.fromEntries(fields.map(({ name, value }) => [name, value]))
  const model = readName(values, 'model')
  if (model === undefined) throw wrong('model', 'model is required')
  const format = readWord(values, 'response_format', FORMATS[task]) ?? 'json'
  const stream = flagOf(values, 'stream')
  const temperature = readNumber({ temperature: numberOf(values.temperature) }, 'temperature', 0, 2)
  const language = readName(values, 'language', '', 35)
  const prompt = values.prompt as string | undefined
  return {
    task,
    model,
    file: fileOf(chosen[0]),
    format,
    stream,
    unpriced,
    ...(attribution ? { attribution } : {}),
    ...(language === undefined ? {} : { language }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(temperature === undefined ? {} : { temperature }),
    fields: fields.filter(({ name }) => name !== 'model'),
  }
}

/** Fields that are passed on without being read, and samples of voices. Objects are JSON. */
function unknownIn(fields: readonly FormField[]): Json {
  const found: Record<string, unknown> = Object.create(null)
  for (const { name, value } of fields) {
    const base = baseOf(name)
    if (NAMES.exact.has(base) && base !== 'known_speaker_references') continue
    const read = /^\s*(?:[[{]|true$|false$)/.test(value) ? (parsedJson(value) ?? value) : value
    const member = /\[(\w+)\]/.exec(name)?.[1]
    const known = found[base]
    if (member === undefined) found[base] = name === base && known === undefined ? read : [known, read]
    else if (isObject(known)) found[base] = { ...known, [member]: [known[member], read] }
    else found[base] = { [member]: [known, read] }
  }
  return found
}

/** `provider[order][]` -> `provider` */
const baseOf = (name: string): string => name.replace(/\[.*$/, '')

/** What is no number stays what it is, and is rejected as such. */
const numberOf = (text: unknown): unknown =>
  typeof text === 'string' && /^\s*\d{1,3}(\.\d{1,20})?\s*$/.test(text) ? Number(text) : text

function flagOf(values: Record<string, unknown>, name: string): boolean {
  const text = values[name]
  if (text === undefined) return false
  const flag = FLAGS[String(text).trim().toLowerCase()]
  if (flag === undefined) throw wrong(name, `${name} must be true or false`)
  return flag
}

function fileOf(file: FormFile | undefined): AudioFile {
  if (file === undefined) throw wrong('file', 'file is required: send the audio as a file')
  const { bytes, handle, content, filename, contentType } = file
  if (bytes === 0) throw wrong('file', 'file must not be empty')
  const type = audioTypeOf(filename, contentType, content)
  if (type === undefined)
    throw new RequestError(
      'unsupported_media_type',
      'file',
      'file must be audio, such as MP3, WAV, FLAC, M4A, OGG or WebM',
    )
  return { bytes, handle, ...type }
}
