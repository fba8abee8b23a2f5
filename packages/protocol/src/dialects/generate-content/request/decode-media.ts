// Media in a client's parts: inline data in either alphabet of base64, and URLs that may be the vendor's own.

import { isHttpUrl, mediaOfMime, sniffMime, standardBase64 } from '../../../canonical/media.ts'
import { asObject, readName, readString, wrong } from '../../../canonical/reading.ts'
import type { MediaPart } from '../../../canonical/request.ts'
import { camel } from './fields.ts'

export function decodeInline(value: unknown, at: string): MediaPart {
  const blob = camel(asObject(value, at))
  const text = readString(blob, 'data', at)
  if (text === undefined) throw wrong(`${at}.data`, `${at}.data is required: the content in base64`)
  const data = standardBase64(text)
  if (data === undefined) throw wrong(`${at}.data`, `${at}.data must be base64`)
  const mime = readName(blob, 'mimeType', at)?.toLowerCase() || sniffMime(data)
  if (mime === undefined) throw wrong(`${at}.mimeType`, `${at}.mimeType is required: the type of the content`)
  const name = readString(blob, 'displayName', at)
  return {
    type: 'media',
    media: mediaOfMime(mime),
    source: { kind: 'inline', mime, data },
    ...(name === undefined ? {} : { name }),
    at,
  }
}

export function decodeFile(value: unknown, at: string): MediaPart {
  const file = camel(asObject(value, at))
  const uri = readString(file, 'fileUri', at)
  if (uri === undefined || uri === '') throw wrong(`${at}.fileUri`, `${at}.fileUri is required: a URL`)
  const mime = readName(file, 'mimeType', at)?.toLowerCase() || mimeOfUrl(uri)
  const name = readString(file, 'displayName', at)
  const isObjectOfVendor = !isHttpUrl(uri) || isVendorFile(uri)
  return {
    type: 'media',
    media: mime === undefined ? 'document' : mediaOfMime(mime),
    source: isObjectOfVendor
      ? { kind: 'object', id: uri }
      : { kind: 'url', url: uri, ...(mime === undefined ? {} : { mime }) },
    ...(name === undefined ? {} : { name }),
    at,
  }
}

/** `https://generativelanguage.googleapis.com/v1beta/files/abc`: an upload, not something that can be fetched. */
const isVendorFile = (uri: string): boolean => /^https?:\/\/[^/]*\.googleapis\.com\/.*\bfiles\//i.test(uri)

/** The one kind of web page that the vendor itself watches. */
export const isVideoPage = (url: string): boolean =>
  /^https?:\/\/(?:(?:www|m)\.)?(?:youtube\.com|youtu\.be)\//i.test(url)

const MIME_OF_ENDING: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
}

function mimeOfUrl(uri: string): string | undefined {
  if (isVideoPage(uri)) return 'video/mp4'
  const ending = /\.([a-z0-9]{2,4})(?:[?#]|$)/i.exec(uri)?.[1]?.toLowerCase()
  return ending === undefined ? undefined : MIME_OF_ENDING[ending]
}
