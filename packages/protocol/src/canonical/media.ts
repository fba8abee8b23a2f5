// Media as callers write it: data URLs, base64 in two alphabets, content without a type.

import type { Source } from './request.ts'
import { textOfBase64 } from './utf8.ts'

const DATA_URL = /^data:([^,;]*)((?:;[^,;]*)*),/i

/** `data:image/png;base64,...` read; undefined when it is no data URL, or none that can be read as base64. */
export function readDataUrl(url: string): { mime: string | undefined; data: string } | undefined {
  const match = DATA_URL.exec(url.slice(0, 512))
  if (match === null || !/;base64$/i.test(match[2] ?? '')) return undefined
  const data = url.slice(match[0].length)
  const mime = (match[1] ?? '').toLowerCase()
  return { mime: mime === '' ? undefined : mime, data }
}

export const isDataUrl = (url: string): boolean => /^data:/i.test(url)

export const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text)

const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/
/** The first character that is no letter of the standard alphabet: the fastest way through a long text. */
const FOREIGN = /[^A-Za-z0-9+/]/

/** Standard alphabet and padding, whichever of the two it came in; undefined when it is not base64. */
export function standardBase64(text: string): string | undefined {
  if (isStandard(text)) return text
  const compact = /\s/.test(text) ? text.replace(/\s+/g, '') : text
  if (!BASE64.test(compact)) return undefined
  const standard = /[-_]/.test(compact) ? compact.replaceAll('-', '+').replaceAll('_', '/') : compact
  const unpadded = standard.endsWith('=') ? standard.replace(/=+$/, '') : standard
  if (unpadded.length % 4 === 1) return undefined
  return unpadded + '='.repeat((4 - (unpadded.length % 4)) % 4)
}

/** What nearly every client sends, and up to 30 MiB of it. */
function isStandard(text: string): boolean {
  if (text === '' || text.length % 4 !== 0) return false
  const end = text.search(FOREIGN)
  return end === -1 || ['=', '=='].includes(text.slice(end, end + 3))
}

/** How files of these kinds begin, in base64. */
const BEGINNINGS: readonly [beginning: string, mime: string][] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['JVBERi', 'application/pdf'],
  ['SUQz', 'audio/mpeg'],
  ['//uQ', 'audio/mpeg'],
  ['//vQ', 'audio/mpeg'],
  ['Qk0', 'image/bmp'],
]

/** The type that a file's first bytes give away. */
export function sniffMime(base64: string): string | undefined {
  const found = BEGINNINGS.find(([beginning]) => base64.startsWith(beginning))
  if (found !== undefined) return found[1]
  // RIFF: the kind stands behind four bytes of length, which in base64 is this place.
  if (!base64.startsWith('UklGR')) return undefined
  const kind = base64.slice(11, 16)
  if (kind === 'XRUJQ') return 'image/webp'
  if (kind === 'XQVZF') return 'audio/wav'
  return undefined
}

export function mediaOfMime(mime: string): 'image' | 'audio' | 'video' | 'document' {
  const kind = mime.split('/', 1)[0]
  return kind === 'image' || kind === 'audio' || kind === 'video' ? kind : 'document'
}

/** A document of plain text, for dialects whose documents are files. */
export function documentText(title: string | undefined, text: string): string {
  const titled = title === undefined ? '' : ` title=${JSON.stringify(title)}`
  return `<document${titled}>\n${text}\n</document>`
}

/** The text of a document that came as a file; undefined when it is something else. */
export function textOfFile({ mime, data }: Extract<Source, { kind: 'inline' }>): string | undefined {
  return essence(mime).startsWith('text/') ? textOfBase64(data) : undefined
}

/** `text/plain;charset=utf-8` -> `text/plain`. */
export const essence = (mime: string): string => (mime.split(';', 1)[0] ?? '').trim().toLowerCase()

/** As a URL for dialects that write inline data as one. */
export function dataUrl(source: Extract<Source, { kind: 'inline' }>): string {
  return `data:${source.mime};base64,${source.data}`
}
