// Images, audio and files in a client's message.

import { mediaOfMime } from '../../../canonical/media.ts'
import { asString, below, type Json, readObject, readString, wrong } from '../../../canonical/reading.ts'
import type { MediaPart, Source } from '../../../canonical/request.ts'
import { mimeOfName, sourceOf } from '../../../canonical/source.ts'

/** A part that is media, or undefined when its type is none that carries media. */
export function decodeMedia(part: Json, at: string): MediaPart | undefined {
  switch (part.type) {
    case 'image_url':
      return decodeImage(part, at)
    case 'video_url':
      return {
        type: 'media',
        media: 'video',
        source: urlOf(part.video_url, below(at, 'video_url'), 'video/mp4'),
        at,
      }
    case 'input_audio':
      return decodeAudio(part, at)
    case 'file':
      return decodeFile(part, at)
    default:
      return undefined
  }
}

function decodeImage(part: Json, at: string): MediaPart {
  const path = below(at, 'image_url')
  const source = urlOf(part.image_url, path, undefined)
  const detail = readString(part.image_url as Json, 'detail', path)
  return { type: 'media', media: 'image', source, ...(detail === undefined ? {} : { detail }), at }
}

/** `{url}`, never the bare URL. */
function urlOf(value: unknown, at: string, usualMime: string | undefined): Source {
  if (value === undefined || value === null) throw wrong(at, `${at} is required: an object with a url`)
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw wrong(at, `${at} must be an object with a url, such as {"url":"https://..."}`)
  }
  const path = below(at, 'url')
  return sourceOf(asString((value as Json).url, path), path, usualMime)
}

const AUDIO_MIME: Readonly<Record<string, string>> = { wav: 'audio/wav', mp3: 'audio/mpeg' }

function decodeAudio(part: Json, at: string): MediaPart {
  const audio = readObject(part, 'input_audio', at)
  const path = below(at, 'input_audio')
  if (audio === undefined) throw wrong(path, `${path} is required: an object with data and format`)
  const format = readString(audio, 'format', path)
  const usual = format === undefined ? 'audio/wav' : (AUDIO_MIME[format] ?? `audio/${format}`)
  const source = sourceOf(asString(audio.data, below(path, 'data')), below(path, 'data'), usual)
  // The format is what the caller says it is, whatever the bytes look like.
  const named = source.kind === 'inline' && format !== undefined ? { ...source, mime: usual } : source
  return { type: 'media', media: 'audio', source: named, at }
}

function decodeFile(part: Json, at: string): MediaPart {
  const file = readObject(part, 'file', at)
  const path = below(at, 'file')
  if (file === undefined) throw wrong(path, `${path} is required: an object with file_data or file_id`)
  const name = readString(file, 'filename', path)
  const named = name === undefined ? {} : { name }
  const data = readString(file, 'file_data', path)
  if (data !== undefined) {
    const source = sourceOf(data, below(path, 'file_data'), mimeOfName(name) ?? 'application/pdf')
    const media = source.kind === 'inline' ? mediaOfMime(source.mime) : 'document'
    return { type: 'media', media, source, ...named, at }
  }
  const id = readString(file, 'file_id', path)
  if (id === undefined) throw wrong(path, `${path} must have file_data or file_id`)
  return { type: 'media', media: 'document', source: { kind: 'object', id }, ...named, at }
}
