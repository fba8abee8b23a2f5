// Contents and their parts in a generate-content request.

import { kindOf, readData, readUrl } from '../../../request/attachments.ts'
import { badRequest } from '../../../request/errors.ts'
import type { Json } from '../../../request/fields.ts'
import type { Attachment } from '../../../request/sandbox-request.ts'
import { readFields, readList } from './fields.ts'

const CONTENT_FIELDS = new Set(['role', 'parts'])
const DATA_FIELDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
]
const PART_FIELDS = new Set([
  ...DATA_FIELDS,
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'mediaResolution',
  'partMetadata',
])
const INLINE_FIELDS = new Set(['mimeType', 'data', 'displayName'])
const FILE_FIELDS = new Set(['fileUri', 'mimeType', 'displayName'])

export type ReadPart = { part: Json; path: string }
export type ReadContent = { role: unknown; parts: ReadPart[] }

export function readContent(value: unknown, path: string): ReadContent {
  const { role, parts } = readFields(value, path, CONTENT_FIELDS)
  const read = readList(parts, `${path}.parts`).map((part, index) => readPart(part, `${path}.parts[${index}]`))
  return { role, parts: read }
}

function readPart(value: unknown, path: string): ReadPart {
  const part = readFields(value, path, PART_FIELDS)
  const data = DATA_FIELDS.filter((name) => part[name] !== undefined)
  if (data.length === 0) throw badRequest("required oneof field 'data' must have one initialized field", `${path}.data`)
  if (data.length > 1) throw badRequest(`oneof field 'data' is already set. Cannot set '${data[1]}'`, path)
  if (part.text !== undefined && typeof part.text !== 'string')
    throw badRequest('Invalid value: expected a string.', `${path}.text`)
  return { part, path }
}

/** The image, audio or document of a part, if any. */
export function readMedia({ inlineData, fileData }: Json, path: string): Attachment[] {
  if (inlineData !== undefined) {
    const { mimeType, data, displayName } = readFields(inlineData, `${path}.inline_data`, INLINE_FIELDS)
    if (typeof mimeType !== 'string' || typeof data !== 'string')
      throw badRequest('inline_data needs a mime_type and data.', `${path}.inline_data`)
    if (!/^[\w+/-]*={0,2}$/.test(data)) throw badRequest('Base64 decoding failed.', `${path}.inline_data.data`)
    return [readData(kindOf(mimeType), `${nameOf(displayName)}${mimeType}`, data)]
  }
  if (fileData === undefined) return []
  const { fileUri, mimeType, displayName } = readFields(fileData, `${path}.file_data`, FILE_FIELDS)
  if (typeof fileUri !== 'string' || fileUri.startsWith('data:'))
    throw badRequest('Invalid or unsupported file uri.', `${path}.file_data.file_uri`)
  const read = readUrl(kindOf(typeof mimeType === 'string' ? mimeType : ''), fileUri)
  return [{ ...read, label: `${nameOf(displayName)}${read.label}` }]
}

function nameOf(displayName: unknown): string {
  return typeof displayName === 'string' ? `${displayName} ` : ''
}
