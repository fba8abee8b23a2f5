// Turns of a conversation as this dialect's messages.

import { callId, type ToolNames } from '../../../canonical/encoding/tool-names.ts'
import { sniffMime } from '../../../canonical/media.ts'
import { isObject, parsedJson, unsupported } from '../../../canonical/reading.ts'
import type { CacheMark, CallPart, MediaPart, Part, ResultPart, TextPart, Turn } from '../../../canonical/request.ts'
import { textOfBase64 } from '../../../canonical/utf8.ts'
import type { Warn } from '../../../canonical/warning.ts'
import type {
  WireBlockParam,
  WireCacheControl,
  WireDocumentParam,
  WireDocumentSource,
  WireFileSource,
  WireImageParam,
  WireImageSource,
  WireMessageParam,
  WireTextParam,
  WireToolResultParam,
  WireToolUseParam,
} from '../wire.ts'

export type EncodingContext = {
  names: ToolNames
  warn: Warn /** Files of the same vendor may be named by their id. */
  ownFiles: boolean
}

export function encodeTurn(turn: Turn, writing: EncodingContext): WireMessageParam {
  if (turn.role === 'system') {
    const texts = turn.parts.flatMap((part) => (part.type === 'text' ? [writeText(part)] : []))
    return { role: 'system', content: texts }
  }
  const { role } = turn
  const blocks = turn.parts.flatMap((part) => writePart(part, role, writing))
  const only = blocks.length === 1 ? blocks[0] : undefined
  const isPlain = only?.type === 'text' && only.cache_control === undefined
  return { role, content: isPlain ? only.text : blocks }
}

function writePart(part: Part, role: Turn['role'], writing: EncodingContext): WireBlockParam[] {
  switch (part.type) {
    case 'text':
      return [writeText(part)]
    case 'refusal':
      return part.text.trim() === '' ? [] : [{ type: 'text', text: part.text }]
    case 'media':
      if (role !== 'assistant') return [writeMedia(part, writing)]
      throw unsupported(part.at, 'This model takes no images or files that an assistant said.')
    case 'call':
      return [writeCall(part, writing)]
    case 'result':
      return [writeResult(part, writing)]
    case 'reasoning':
      return [{ type: 'thinking', thinking: part.text, signature: part.signature ?? '' }]
    case 'redacted':
      return [{ type: 'redacted_thinking', data: part.data }]
    case 'foreign':
      return []
  }
}

export function cacheControl(cache: CacheMark | undefined): { cache_control?: WireCacheControl } {
  if (cache === undefined) return {}
  // Half an hour, which is warned of, is no lifetime here, and the longer one costs more.
  return {
    cache_control: { type: 'ephemeral', ...(cache.ttl === '5m' || cache.ttl === '1h' ? { ttl: cache.ttl } : {}) },
  }
}

const writeText = ({ text, cache }: TextPart): WireTextParam => ({ type: 'text', text, ...cacheControl(cache) })

function writeCall(call: CallPart, { names, warn }: EncodingContext): WireToolUseParam {
  // Only the model that signed the call can use the signature.
  if (call.signature !== undefined) warn('pastReasoning', 'dropped')
  return {
    type: 'tool_use',
    id: callId(call.id),
    name: names.sent(call.name),
    input: call.custom ? { input: call.arguments } : inputOf(call.arguments, warn),
    ...cacheControl(call.cache),
  }
}

/** Models write JSON that does not parse; what they wrote is then carried as text, since only an object may stand here. */
function inputOf(text: string, warn: Warn): unknown {
  if (text.trim() === '') return {}
  const value = parsedJson(text)
  if (isObject(value)) return value
  warn('arguments', 'changed')
  return value === undefined ? { _raw: text } : { value }
}

function writeResult(result: ResultPart, writing: EncodingContext): WireToolResultParam {
  const parts = result.parts.filter((part) => part.type !== 'text' || part.text !== '')
  const only = parts.length === 1 ? parts[0] : undefined
  const isPlain = only?.type === 'text' && only.cache === undefined
  const content = parts.map((part) => (part.type === 'text' ? writeText(part) : writeMedia(part, writing)))
  return {
    type: 'tool_result',
    tool_use_id: callId(result.callId),
    ...(result.isError ? { is_error: true } : {}),
    ...(content.length === 0 ? {} : { content: isPlain ? only.text : content }),
    ...cacheControl(result.cache),
  }
}

function writeMedia(part: MediaPart, writing: EncodingContext): WireImageParam | WireDocumentParam {
  if (part.detail !== undefined && part.detail !== 'auto') writing.warn('detail', 'dropped')
  if (part.media === 'image') {
    if (part.name !== undefined) writing.warn('fileName', 'dropped')
    return { type: 'image', source: imageSource(part, writing), ...cacheControl(part.cache) }
  }
  if (part.media !== 'document') throw unsupported(part.at, `This model takes no ${part.media}.`)
  return {
    type: 'document',
    source: documentSource(part, writing),
    ...(part.name === undefined ? {} : { title: part.name }),
    ...(part.context === undefined ? {} : { context: part.context }),
    ...(part.cite ? { citations: { enabled: true } } : {}),
    ...cacheControl(part.cache),
  }
}

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const

function imageSource({ source, at }: MediaPart, { ownFiles }: EncodingContext): WireImageSource {
  switch (source.kind) {
    case 'url':
      return { type: 'url', url: source.url }
    case 'object':
      return ownFile(source.id, ownFiles, at)
    case 'inline': {
      const mime = source.mime === 'image/jpg' ? 'image/jpeg' : source.mime
      const type = [mime, sniffMime(source.data)].map(imageType).find((known) => known !== undefined)
      if (type !== undefined) return { type: 'base64', media_type: type, data: source.data }
      throw unsupported(at, `This model takes images as JPEG, PNG, GIF or WebP, not as ${source.mime}.`)
    }
    case 'text':
      throw unsupported(at, 'This model takes images as JPEG, PNG, GIF or WebP.')
  }
}

const imageType = (mime: string | undefined): (typeof IMAGE_TYPES)[number] | undefined =>
  IMAGE_TYPES.find((type) => type === mime)

function documentSource({ source, at }: MediaPart, { ownFiles }: EncodingContext): WireDocumentSource {
  switch (source.kind) {
    case 'url':
      return { type: 'url', url: source.url }
    case 'object':
      return ownFile(source.id, ownFiles, at)
    case 'text':
      return { type: 'text', media_type: 'text/plain', data: source.text }
    case 'inline': {
      const mime = source.mime.split(';', 1)[0]?.trim()
      if (mime === 'application/pdf' || sniffMime(source.data) === 'application/pdf') {
        return { type: 'base64', media_type: 'application/pdf', data: source.data }
      }
      const text = mime?.startsWith('text/') || mime === 'application/json' ? textOfBase64(source.data) : undefined
      if (text !== undefined) return { type: 'text', media_type: 'text/plain', data: text }
      throw unsupported(at, `This model takes documents as PDF or plain text, not as ${source.mime}.`)
    }
  }
}

/** Ids of files mean nothing at another vendor. */
function ownFile(id: string, ownFiles: boolean, at: string | undefined): WireFileSource {
  if (ownFiles) return { type: 'file', file_id: id }
  throw unsupported(at, 'A file that is kept at another vendor cannot be given to this model. Send its content.')
}
