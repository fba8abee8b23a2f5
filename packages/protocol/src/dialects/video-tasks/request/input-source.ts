// Where an input comes from: a URL, data in the request, or something that the upstream keeps.

import { isDataUrl, isHttpUrl, readDataUrl } from '../../../canonical/media.ts'
import { wrong } from '../../../canonical/reading.ts'
import type { VideoInputSource } from '../../../canonical/video.ts'

type Kind = 'image' | 'video' | 'audio'

const MEGABYTE = 1_000_000
const MOST_BYTES: Readonly<Record<Kind, number>> = {
  image: 30 * MEGABYTE,
  video: 50 * MEGABYTE,
  audio: 15 * MEGABYTE,
}
const IMAGE_TYPES = ['jpeg', 'jpg', 'png', 'webp', 'bmp', 'tiff', 'gif', 'heic', 'heif']
const MOST_URL = 8_192
const ASSET = /^asset(?::\/\/|-)[\w.-]{1,128}$/

/** Throws RequestError. */
export function readSource(url: string, kind: Kind, at: string): VideoInputSource {
  if (isDataUrl(url)) return readInline(url, kind, at)
  if (url.length > MOST_URL) throw wrong(at, `${at} must not be longer than ${MOST_URL} characters`)
  if (ASSET.test(url)) return { kind: 'asset', id: url }
  if (isHttpUrl(url) && !/[\s\u0000-\u001f\u007f]/.test(url)) return { kind: 'url', url }
  throw wrong(at, `${at} must be an http or https URL, or a data URL with base64`)
}

function readInline(url: string, kind: Kind, at: string): VideoInputSource {
  const data = readDataUrl(url)
  if (data === undefined) throw wrong(at, `${at} must be a data URL of the form data:${kind}/<format>;base64,<data>`)
  const mediaType = data.mime ?? ''
  const format = mediaType.startsWith(`${kind}/`) ? mediaType.slice(kind.length + 1) : ''
  if (format === '' || (kind === 'image' && !IMAGE_TYPES.includes(format)))
    throw wrong(
      at,
      `${at} must have the type ${kind === 'image' ? `image/<${IMAGE_TYPES.join('|')}>` : `${kind}/<format>`}`,
    )
  const { data: base64 } = data
  const bytes = Math.floor((base64.length * 3) / 4) - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0)
  const most = MOST_BYTES[kind]
  if (bytes > most) throw wrong(at, `${at} must not be larger than ${most / MEGABYTE} MB`)
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw wrong(at, `${at} must be valid base64 with padding`)
  return { kind: 'inline', mediaType, base64, bytes }
}
