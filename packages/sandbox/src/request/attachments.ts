// Images, audio and documents, as the echo describes them.
import type { Attachment } from './sandbox-request.ts'

/** A data URL contains its type and size; any other URL is shown without its query, which may contain a signature. */
export function readUrl(kind: Attachment['kind'], address: string): Attachment {
  const data = /^data:([^;,]{0,100})[^,]{0,200},/.exec(address)
  if (data) return readData(kind, data[1] || 'text/plain', address.slice(data[0].length))
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address))
    return { kind, label: address.split(/[?#]/, 1)[0] ?? '', bytes: undefined }
  return readData(kind, 'base64', address)
}

export function readData(kind: Attachment['kind'], label: string, data: string): Attachment {
  return { kind, label, bytes: base64Bytes(data) }
}

export function storedFile(kind: Attachment['kind'], name = ''): Attachment {
  return { kind, label: `${name}by id`, bytes: undefined }
}

/** `image/png` is an image, `audio/wav` is audio, all else a file. */
export function kindOf(mediaType: string): Attachment['kind'] {
  const [family] = mediaType.split('/', 1)
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'file'
}

function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.max(Math.floor((data.length * 3) / 4) - padding, 0)
}
