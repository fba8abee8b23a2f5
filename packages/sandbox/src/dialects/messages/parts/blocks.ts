// Text and media inside the turns of a messages request.

import { utf8Bytes } from '../../../model/tokens.ts'
import { readData, readUrl, storedFile } from '../../../request/attachments.ts'
import { badRequest } from '../../../request/errors.ts'
import { isObject, type Json, listOf, textOr } from '../../../request/fields.ts'
import type { Attachment } from '../../../request/sandbox-request.ts'

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp']

export function requireText(text: unknown, path: string): string {
  if (typeof text !== 'string') throw badRequest('Field required', path)
  if (text === '') throw badRequest('text content blocks must be non-empty', path)
  return text
}

/** Text-only content: a string, or blocks of text. */
export function readText(content: unknown, path: string): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw badRequest('Input should be a valid string or list', path)
  return content
    .map((block: unknown, index) => {
      if (!isObject(block) || block.type !== 'text') throw badRequest("Input should be 'text'", `${path}.${index}.type`)
      return requireText(block.text, `${path}.${index}.text`)
    })
    .join('\n')
}

export function isMedia(type: unknown): type is 'image' | 'document' {
  return type === 'image' || type === 'document'
}

export function readMedia(block: Json, path: string): Attachment[] {
  const kind = block.type === 'image' ? 'image' : 'file'
  const name = typeof block.title === 'string' ? `${block.title} ` : ''
  const attachment = readSource(kind, block.source, `${path}.source`)
  return [{ ...attachment, label: `${name}${attachment.label}` }]
}

function readSource(kind: 'image' | 'file', source: unknown, path: string): Attachment {
  if (!isObject(source)) throw badRequest('Field required', path)
  const { type, data, media_type: mediaType } = source
  if (type === 'url' && typeof source.url === 'string') return readUrl(kind, source.url)
  if (type === 'file' && typeof source.file_id === 'string') return storedFile(kind)
  if (type === 'base64' && typeof data === 'string' && typeof mediaType === 'string') {
    const allowed = kind === 'image' ? IMAGE_TYPES : ['application/pdf']
    if (!allowed.includes(mediaType)) throw badRequest(`expected one of ${allowed.join(', ')}`, `${path}.media_type`)
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(data)) throw badRequest('Invalid base64 data', `${path}.base64.data`)
    return readData(kind, mediaType, data)
  }
  if (kind === 'file' && type === 'text' && typeof data === 'string')
    return { kind, label: textOr(mediaType, 'text/plain'), bytes: utf8Bytes(data) }
  if (kind === 'file' && type === 'content')
    return { kind, label: 'content', bytes: utf8Bytes(JSON.stringify(listOf(source.content))) }
  throw badRequest(`Input tag '${String(type)}' found using 'type' does not match any of the expected tags`, path)
}
