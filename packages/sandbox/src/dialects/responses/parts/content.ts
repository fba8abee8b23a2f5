// The content of messages and of tool outputs in a responses request.

import { readUrl, storedFile } from '../../../request/attachments.ts'
import { badRequest } from '../../../request/errors.ts'
import { isObject, type Json } from '../../../request/fields.ts'
import type { Attachment } from '../../../request/sandbox-request.ts'

export type Content = { text: string; attachments: Attachment[] }

/** The allowed parts: output of the model has other parts than its input. */
export type Side = 'input' | 'output'

export function readContent(content: unknown, side: Side, path: string): Content {
  if (typeof content === 'string') return { text: content, attachments: [] }
  if (content === undefined || content === null) throw badRequest(`Missing required parameter: '${path}'.`, path)
  if (!Array.isArray(content)) throw badRequest(`Invalid type for '${path}': expected a string or an array.`, path)
  const texts: string[] = []
  const attachments: Attachment[] = []
  content.forEach((part: unknown, index) => {
    const read = readPart(part, side, `${path}[${index}]`)
    if (typeof read === 'string') texts.push(read)
    else attachments.push(read)
  })
  return { text: texts.join('\n'), attachments }
}

function readPart(part: unknown, side: Side, path: string): string | Attachment {
  const read = isObject(part) ? (side === 'input' ? readInput(part, path) : readOutput(part)) : undefined
  if (read !== undefined) return read
  const known = side === 'input' ? "'input_text', 'input_image' and 'input_file'" : "'output_text' and 'refusal'"
  const type = isObject(part) ? String(part.type) : typeof part
  throw badRequest(`Invalid value: '${type}'. Supported values are: ${known}.`, path, 'invalid_value')
}

function readOutput({ type, text, refusal }: Json): string | undefined {
  if (type === 'output_text' && typeof text === 'string') return text
  return type === 'refusal' && typeof refusal === 'string' ? refusal : undefined
}

function readInput(part: Json, path: string): string | Attachment | undefined {
  if (part.type === 'input_text' && typeof part.text === 'string') return part.text
  if (part.type === 'input_image') return readImage(part, path)
  return part.type === 'input_file' ? readFile(part, path) : undefined
}

function readImage({ image_url: address, file_id: id }: Json, path: string): Attachment {
  if (typeof address === 'string') return readUrl('image', address)
  if (typeof id === 'string') return storedFile('image')
  const at = `${path}.image_url`
  if (address !== undefined && address !== null)
    throw badRequest(`Invalid type for '${at}': expected an image URL, but got an object instead.`, at, 'invalid_type')
  throw badRequest(`Missing required parameter: '${at}'.`, at)
}

function readFile(part: Json, path: string): Attachment {
  const name = typeof part.filename === 'string' ? `${part.filename} ` : ''
  if (typeof part.file_id === 'string') return storedFile('file', name)
  const address = part.file_data ?? part.file_url
  if (typeof address !== 'string') throw badRequest(`Missing required parameter: '${path}.file_id'.`, `${path}.file_id`)
  const read = readUrl('file', address)
  return { ...read, label: `${name}${read.label}` }
}
