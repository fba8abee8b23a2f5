// Where media comes from, as callers of chat and responses write it: one string that is a URL, a data URL or
// bare base64.

import { isDataUrl, isHttpUrl, readDataUrl, sniffMime, standardBase64 } from './media.ts'
import { wrong } from './reading.ts'
import type { Source } from './request.ts'

const SCHEME = /^[a-z][a-z0-9+.-]{0,30}:/i

/** `usualMime`: for content that does not say what it is, and whose first bytes do not give it away. */
export function sourceOf(text: string, at: string, usualMime: string | undefined): Source {
  if (isHttpUrl(text)) return { kind: 'url', url: text }
  if (isDataUrl(text)) {
    const read = readDataUrl(text)
    if (read !== undefined) return inline(read.data, read.mime, at, usualMime)
    const plain = plainText(text)
    if (plain !== undefined) return plain
    throw wrong(at, `${at} must have its data in base64: data:TYPE;base64,...`)
  }
  // Other schemes mean something to some services; only they can say.
  if (SCHEME.test(text)) return { kind: 'url', url: text }
  return inline(text, undefined, at, usualMime)
}

function inline(text: string, mime: string | undefined, at: string, usualMime: string | undefined): Source {
  const data = standardBase64(text)
  if (data === undefined) throw wrong(at, `${at} must be an http(s) URL, a data URL or base64`)
  const known = mime ?? sniffMime(data) ?? usualMime
  if (known === undefined) throw wrong(at, `${at} must say its type: data:TYPE;base64,...`)
  return { kind: 'inline', mime: known, data }
}

/** `data:text/plain,Hello%20there`: only text is written so. */
function plainText(url: string): Source | undefined {
  const [head, mime] = /^data:(text\/[^,;]*)(?:;[^,;]*)*,/i.exec(url.slice(0, 512)) ?? []
  if (head === undefined || mime === undefined) return undefined
  try {
    return { kind: 'text', mime: mime.toLowerCase(), text: decodeURIComponent(url.slice(head.length)) }
  } catch {
    return undefined
  }
}

const MIME_OF_ENDING: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  json: 'application/json',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

/** What a file's name says that it is. */
export const mimeOfName = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : MIME_OF_ENDING[name.slice(name.lastIndexOf('.') + 1).toLowerCase()]
