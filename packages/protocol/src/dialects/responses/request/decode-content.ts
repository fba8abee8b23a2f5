// The parts of a client's message, or of a tool's output.

import { mediaOfMime } from '../../../canonical/media.ts'
import {
  asObject,
  asString,
  below,
  isObject,
  type Json,
  readObject,
  readString,
  wrong,
} from '../../../canonical/reading.ts'
import type { CacheMark, ForeignPart, MediaPart, RefusalPart, Source, TextPart } from '../../../canonical/request.ts'
import { mimeOfName, sourceOf } from '../../../canonical/source.ts'
import { decodeAnnotation, listOf } from '../reply/decode-details.ts'

export type ContentPart = TextPart | MediaPart | RefusalPart | ForeignPart

/** A string, or an array of parts. */
export function decodeContent(value: unknown, at: string): ContentPart[] {
  if (typeof value === 'string') return [{ type: 'text', text: value }]
  if (!Array.isArray(value)) throw wrong(at, `${at} must be a string or an array of parts`)
  return value.map((part, index) => readPart(asObject(part, `${at}[${index}]`), `${at}[${index}]`))
}

function readPart(part: Json, at: string): ContentPart {
  const type = asString(part.type, below(at, 'type'))
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text': {
      const citations = listOf(part.annotations).flatMap((annotation) => decodeAnnotation(annotation) ?? [])
      const text = asString(part.text, below(at, 'text'))
      return { type: 'text', text, ...(citations.length === 0 ? {} : { citations }), ...cacheMark(part) }
    }
    case 'refusal':
      return { type: 'refusal', text: asString(part.refusal, below(at, 'refusal')) }
    case 'input_image':
      return readImagePart(part, at)
    case 'input_file':
      return readFilePart(part, at)
    case 'input_audio':
      return readAudioPart(part, at)
    default:
      return { type: 'foreign', what: type, at }
  }
}

const cacheMark = (part: Json): { cache?: CacheMark } =>
  isObject(part.prompt_cache_breakpoint) ? { cache: { isBreakpoint: true } } : {}

function readImagePart(part: Json, at: string): MediaPart {
  if (isObject(part.image_url)) {
    throw wrong(below(at, 'image_url'), `${at}.image_url must be a string: the URL itself, not an object`)
  }
  const url = readString(part, 'image_url', at)
  const id = readString(part, 'file_id', at)
  const detail = readString(part, 'detail', at)
  if (url === undefined && id === undefined) {
    throw wrong(below(at, 'image_url'), `${at}.image_url is required: a URL or a data URL`)
  }
  const source: Source =
    url === undefined ? { kind: 'object', id: id ?? '' } : sourceOf(url, below(at, 'image_url'), 'image/png')
  // `auto` is what happens when nothing is said.
  const looked = detail === undefined || detail === 'auto' ? {} : { detail }
  return { type: 'media', media: 'image', source, ...looked, ...cacheMark(part), at }
}

function readFilePart(part: Json, at: string): MediaPart {
  const data = readString(part, 'file_data', at)
  const url = readString(part, 'file_url', at)
  const id = readString(part, 'file_id', at)
  const name = readString(part, 'filename', at)
  let source: Source
  if (data !== undefined)
    source = sourceOf(data, below(at, 'file_data'), mimeOfName(name) ?? 'application/octet-stream')
  else if (url !== undefined)
    source = sourceOf(url, below(at, 'file_url'), mimeOfName(name) ?? 'application/octet-stream')
  else if (id !== undefined) source = { kind: 'object', id }
  else throw wrong(below(at, 'file_data'), `${at}.file_data is required, or else file_url or file_id`)
  const media = source.kind === 'inline' ? mediaOfMime(source.mime) : 'document'
  return { type: 'media', media, source, ...(name === undefined ? {} : { name }), ...cacheMark(part), at }
}

/** Not in the vendor's list of accepted parts, though in its types; compatible services take it. */
function readAudioPart(part: Json, at: string): MediaPart {
  const audio = readObject(part, 'input_audio', at) ?? part
  const path = part.input_audio === undefined ? at : below(at, 'input_audio')
  const format = readString(audio, 'format', path) ?? 'wav'
  const given = asString(audio.data, below(path, 'data'))
  const source = sourceOf(given, below(path, 'data'), format === 'mp3' ? 'audio/mpeg' : `audio/${format}`)
  return { type: 'media', media: 'audio', source, at }
}
