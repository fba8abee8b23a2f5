// Images, audio and documents for an upstream's message.

import { dataUrl, documentText, essence, textOfFile } from '../../../canonical/media.ts'
import { unsupported } from '../../../canonical/reading.ts'
import type { MediaPart, Source } from '../../../canonical/request.ts'
import type { Target } from '../../text-dialect.ts'
import type { WrittenPart } from '../wire.ts'

export function encodeMedia(part: MediaPart, target: Target): WrittenPart[] {
  if (part.cite === true) target.warn('turns', 'changed')
  if (part.name !== undefined && part.media !== 'document') target.warn('fileName', 'dropped')
  switch (part.media) {
    case 'image':
      return [encodeImage(part, target)]
    case 'audio':
      return [encodeAudio(part, target)]
    case 'document':
      return encodeDocument(part, target)
    case 'video':
      throw unsupported(part.at, 'The upstream of this model takes no video.')
  }
}

type Inline = Extract<Source, { kind: 'inline' }>

function keptElsewhere(part: MediaPart): never {
  throw unsupported(part.at, 'A file that is kept at another vendor cannot be sent to the upstream of this model.')
}

function encodeImage(part: MediaPart, { warn }: Target): WrittenPart {
  const { source } = part
  if (source.kind === 'object') return keptElsewhere(part)
  if (source.kind === 'text') throw unsupported(part.at, 'An image must be given as its data or its URL.')
  const url = source.kind === 'inline' ? dataUrl(source) : source.url
  const detail = part.detail === undefined ? undefined : DETAILS[part.detail]
  if (part.detail !== undefined && (detail === undefined || part.detail === 'medium')) warn('detail', 'changed')
  return { type: 'image_url', image_url: { url, ...(detail === undefined ? {} : { detail }) } }
}

const DETAILS: Readonly<Record<string, 'auto' | 'low' | 'high'>> = {
  auto: 'auto',
  low: 'low',
  medium: 'auto',
  high: 'high',
  original: 'high',
}

function inlineOf(part: MediaPart, target: Target): Inline {
  const { source } = part
  if (source.kind === 'inline') return source
  if (source.kind === 'url') return target.fetched(source.url)
  return keptElsewhere(part)
}

const AUDIO_FORMATS: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/wave': 'wav',
  'audio/vnd.wave': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
}

function encodeAudio(part: MediaPart, target: Target): WrittenPart {
  const { mime, data } = inlineOf(part, target)
  const format = AUDIO_FORMATS[essence(mime)]
  if (format === undefined) throw unsupported(part.at, `The upstream of this model takes wav and mp3, not ${mime}.`)
  return { type: 'input_audio', input_audio: { data, format } }
}

function encodeDocument(part: MediaPart, target: Target): WrittenPart[] {
  const context: WrittenPart[] = part.context === undefined ? [] : [{ type: 'text', text: part.context }]
  const inText = (text: string): WrittenPart[] => [...context, { type: 'text', text: documentText(part.name, text) }]
  if (part.source.kind === 'text') return inText(part.source.text)
  const inline = inlineOf(part, target)
  const text = textOfFile(inline)
  if (text !== undefined) return inText(text)
  const filename = part.name ?? (essence(inline.mime) === 'application/pdf' ? 'document.pdf' : 'document')
  return [...context, { type: 'file', file: { file_data: dataUrl(inline), filename } }]
}
