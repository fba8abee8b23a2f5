// Content of a caller's messages: strings or blocks, in neutral parts. Unknown kinds of block are no mistake: the
// vendor adds new ones, and only its own upstreams have to understand them.

import { isDataUrl, readDataUrl, sniffMime, standardBase64 } from '../../../canonical/media.ts'
import {
  asArray,
  asObject,
  asString,
  below,
  type Json,
  readArray,
  readFlag,
  readName,
  readObject,
  readString,
  wrong,
} from '../../../canonical/reading.ts'
import type {
  CacheMark,
  ForeignPart,
  MediaPart,
  Part,
  ResultPart,
  Source,
  TextPart,
} from '../../../canonical/request.ts'
import { readCitations } from './citation.ts'

type Role = 'user' | 'assistant' | 'system'

export function readContent(content: unknown, at: string, role: Role): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrong(at, `${at} must be a string or an array of content blocks`)
  return content.flatMap((item, index) => readBlock(asObject(item, `${at}[${index}]`), `${at}[${index}]`, role))
}

/** The blocks that only one side of the conversation can say. */
const SPEAKERS: Readonly<Record<string, Role>> = {
  tool_use: 'assistant',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  tool_result: 'user',
}

function readBlock(block: Json, at: string, role: Role): Part[] {
  const type = asString(block.type, below(at, 'type'))
  const speaker = Object.hasOwn(SPEAKERS, type) ? SPEAKERS[type] : undefined
  if (speaker !== undefined && speaker !== role) {
    throw wrong(at, `${at}: ${type} blocks can only be in messages of the role ${speaker}`)
  }
  switch (type) {
    case 'tool_use':
      return [
        {
          type: 'call',
          id: required(readName(block, 'id', at), below(at, 'id'), 'the id of the call'),
          name: required(readName(block, 'name', at), below(at, 'name'), 'the name of the tool'),
          arguments: JSON.stringify(readObject(block, 'input', at) ?? {}),
          custom: false,
          ...cacheOf(block, at),
        },
      ]
    case 'tool_result':
      return readResult(block, at)
    case 'thinking': {
      const signature = readString(block, 'signature', at) ?? ''
      const text = required(readString(block, 'thinking', at), below(at, 'thinking'), 'a string')
      return [{ type: 'reasoning', text, style: 'summary', ...(signature === '' ? {} : { signature }) }]
    }
    case 'redacted_thinking':
      return [{ type: 'redacted', data: required(readString(block, 'data', at), below(at, 'data'), 'a string') }]
    default:
      return readShown(type, block, at)
  }
}

/** What may stand in a message and inside a tool's result alike. */
function readShown(type: string, block: Json, at: string): (TextPart | MediaPart | ForeignPart)[] {
  switch (type) {
    case 'text': {
      const text = required(readString(block, 'text', at), below(at, 'text'), 'a string')
      const citations = readCitations(block.citations)
      return [{ type: 'text', text, ...(citations.length > 0 ? { citations } : {}), ...cacheOf(block, at) }]
    }
    case 'image': {
      const source = readSource(block, at)
      return [{ type: 'media', media: 'image', source, ...cacheOf(block, at), at }]
    }
    case 'document':
      return readDocument(block, at)
    case 'search_result':
      return [readSearchResult(block, at)]
    default:
      return [{ type: 'foreign', what: type, at }]
  }
}

function readResult(block: Json, at: string): Part[] {
  const callId = required(readName(block, 'tool_use_id', at), below(at, 'tool_use_id'), 'the id of the call')
  const isError = readFlag(block, 'is_error', at) === true ? ({ isError: true } as const) : {}
  const inside = below(at, 'content')
  const found = readResultContent(block.content, inside)
  const parts = found.filter((part) => part.type !== 'foreign')
  const result: ResultPart = { type: 'result', callId, parts, ...isError, ...cacheOf(block, at), at }
  // What only this dialect can put into a result stands beside it, so that others say that they left it out.
  return [result, ...found.filter((part) => part.type === 'foreign')]
}

function readResultContent(content: unknown, at: string): (TextPart | MediaPart | ForeignPart)[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw wrong(at, `${at} must be a string or an array of content blocks`)
  return content.flatMap((item, index) => {
    const place = `${at}[${index}]`
    const block = asObject(item, place)
    const type = asString(block.type, below(place, 'type'))
    return type === 'tool_reference' ? [readToolReference(block, place)] : readShown(type, block, place)
  })
}

function readSource(block: Json, at: string): Source {
  const path = below(at, 'source')
  const source = asObject(block.source, path)
  switch (asString(source.type, below(path, 'type'))) {
    case 'base64': {
      const given = asString(source.data, below(path, 'data'))
      const data = standardBase64(given)
      if (data === undefined) throw wrong(below(path, 'data'), `${below(path, 'data')} must be base64`)
      return { kind: 'inline', mime: asString(source.media_type, below(path, 'media_type')).toLowerCase(), data }
    }
    case 'url': {
      const url = asString(source.url, below(path, 'url'))
      return isDataUrl(url) ? inlineOf(url, below(path, 'url')) : { kind: 'address', url }
    }
    case 'file':
      return { kind: 'object', id: asString(source.file_id, below(path, 'file_id')) }
    default:
      // A kind that the vendor alone knows: what is behind it can be shown to no other model.
      return { kind: 'object', id: String(source.type) }
  }
}

function inlineOf(url: string, at: string): Source {
  const read = readDataUrl(url)
  const data = read === undefined ? undefined : standardBase64(read.data)
  const mime = data === undefined ? undefined : (read?.mime ?? sniffMime(data))
  if (data === undefined || mime === undefined) throw wrong(at, `${at} must be an address, or data in base64`)
  return { kind: 'inline', mime, data }
}

function readDocument(block: Json, at: string): (TextPart | MediaPart | ForeignPart)[] {
  const path = below(at, 'source')
  const source = asObject(block.source, path)
  const name = readString(block, 'title', at)
  const context = readString(block, 'context', at)
  const cite = readFlag(readObject(block, 'citations', at) ?? {}, 'enabled', below(at, 'citations'))
  const about = {
    ...(name === undefined ? {} : { name }),
    ...(context === undefined ? {} : { context }),
    ...(cite === true ? { cite } : {}),
    ...cacheOf(block, at),
    at,
  }
  const document = (from: Source): MediaPart => ({ type: 'media', media: 'document', source: from, ...about })
  const type = asString(source.type, below(path, 'type'))
  if (type === 'text') {
    const mime = readString(source, 'media_type', path) ?? 'text/plain'
    return [document({ kind: 'text', mime, text: asString(source.data, below(path, 'data')) })]
  }
  if (type === 'content') {
    const parts = readResultContent(source.content, below(path, 'content'))
    const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
    const others = parts.filter((part) => part.type !== 'text')
    const text = document({ kind: 'text', mime: 'text/plain', text: texts.join('\n\n') })
    return texts.length > 0 ? [text, ...others] : others
  }
  return [document(readSource(block, at))]
}

/** What a search for tools found. The vendor shows the tool in its place; elsewhere it stands among the tools. */
function readToolReference(block: Json, at: string): TextPart {
  const name = required(readName(block, 'tool_name', at), below(at, 'tool_name'), 'the name of the tool')
  return { type: 'text', text: `The tool ${name} can be called now.` }
}

/** Something found for the model, which it may cite. Everybody else reads it as text. */
function readSearchResult(block: Json, at: string): TextPart {
  const title = readString(block, 'title', at) ?? ''
  const source = readString(block, 'source', at) ?? ''
  const texts = (readArray(block, 'content', at) ?? []).map((item, index) => {
    const place = `${below(at, 'content')}[${index}]`
    return asString(asObject(item, place).text, below(place, 'text'))
  })
  const head = `<search_result title=${JSON.stringify(title)} source=${JSON.stringify(source)}>`
  return { type: 'text', text: `${head}\n${texts.join('\n\n')}\n</search_result>`, ...cacheOf(block, at) }
}

export function cacheOf(block: Json, at: string): { cache?: CacheMark } {
  const control = readObject(block, 'cache_control', at)
  if (control === undefined) return {}
  const { ttl } = control
  return { cache: ttl === '5m' || ttl === '1h' ? { ttl } : {} }
}

export function required<Value>(value: Value | undefined, at: string, what: string): Value {
  if (value !== undefined) return value
  throw wrong(at, `${at} is required: ${what}`)
}

export function readTextBlocks(value: unknown, at: string): { text: string; cache?: CacheMark }[] {
  if (typeof value === 'string') return [{ text: value }]
  if (!Array.isArray(value)) throw wrong(at, `${at} must be a string or an array of text blocks`)
  return asArray(value, at).map((item, index) => {
    const place = `${at}[${index}]`
    const block = asObject(item, place)
    return {
      text: required(readString(block, 'text', place), below(place, 'text'), 'a string'),
      ...cacheOf(block, place),
    }
  })
}
