// Media as this dialect takes it: images and files, by URL or inline. No audio, no video.

import { dataUrl, documentText, textOfFile } from '../../../canonical/media.ts'
import { unsupported } from '../../../canonical/reading.ts'
import type { CanonicalRequest, MediaPart } from '../../../canonical/request.ts'
import type { Warn } from '../../../canonical/warning.ts'
import { origin } from './origin.ts'

export type InputPart = Readonly<Record<string, unknown>>

const DETAILS: ReadonlySet<string> = new Set(['low', 'high', 'auto', 'original'])

export function encodeMedia(part: MediaPart, from: CanonicalRequest['from'], warn: Warn): InputPart[] {
  if (part.media === 'audio' || part.media === 'video') {
    throw unsupported(part.at, `This model takes no ${part.media}.`)
  }
  if (part.cite === true) warn('turns', 'changed')
  const isNamed = part.media === 'document' && part.source.kind !== 'url' && part.source.kind !== 'object'
  if (part.name !== undefined && !isNamed) warn('fileName', 'dropped')
  if (part.media === 'image') return [writeImage(part, from, warn)]
  const said = part.context === undefined ? [] : [{ type: 'input_text', text: part.context }]
  return [...said, writeFile(part, from)]
}

function writeImage(part: MediaPart, from: CanonicalRequest['from'], warn: Warn): InputPart {
  const { source } = part
  const wanted = part.detail ?? 'auto'
  const detail = DETAILS.has(wanted) ? wanted : 'auto'
  if (detail !== wanted) warn('detail', 'changed')
  switch (source.kind) {
    case 'inline':
      return { type: 'input_image', image_url: dataUrl(source), detail }
    case 'url':
      return { type: 'input_image', image_url: source.url, detail }
    case 'object':
      return { type: 'input_image', file_id: vendorId(part, source.id, from), detail }
    case 'text':
      throw unsupported(part.at, 'This model takes no images that are text.')
  }
}

function writeFile(part: MediaPart, from: CanonicalRequest['from']): InputPart {
  const { source, name } = part
  switch (source.kind) {
    case 'inline': {
      const text = textOfFile(source)
      if (text !== undefined) return { type: 'input_text', text: documentText(name, text) }
      return { type: 'input_file', filename: name ?? fileName(source.mime), file_data: dataUrl(source) }
    }
    case 'url':
      return { type: 'input_file', file_url: source.url }
    case 'object':
      return { type: 'input_file', file_id: vendorId(part, source.id, from) }
    case 'text':
      return { type: 'input_text', text: documentText(name, source.text) }
  }
}

/** An id means something only at the vendor that gave it. */
function vendorId(part: MediaPart, id: string, from: CanonicalRequest['from']): string {
  if (from === origin) return id
  throw unsupported(part.at, 'A file that another vendor keeps cannot be given to this model: send its content.')
}

/** The vendor wants a name with inline files. */
const fileName = (mime: string): string =>
  `document.${mime === 'application/pdf' ? 'pdf' : (mime.split('/')[1] ?? 'bin')}`
