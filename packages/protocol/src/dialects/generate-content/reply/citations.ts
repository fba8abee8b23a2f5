// Sources of what was said, both ways. This dialect counts places in bytes of UTF-8.

import { isObject, type Json } from '../../../canonical/reading.ts'
import type { SearchBlock } from '../../../canonical/reply.ts'
import type { Citation, SearchResult } from '../../../canonical/request.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import type { WireCandidate, WireGrounding, WireGroundingChunk } from '../wire.ts'

/**
 * `text`: the text that is cited for. Bytes are characters there where it `isAscii`; elsewhere a place is where the cited words
 * stand first, and dropped if the upstream does not repeat them.
 */
export function decodeCitations(candidate: WireCandidate, text: string, isAscii: boolean): Citation[] {
  const place: Place = (start, end, words) => {
    if (isAscii) return typeof end === 'number' ? { start: typeof start === 'number' ? start : 0, end } : {}
    const at = typeof words === 'string' && words !== '' ? text.indexOf(words) : -1
    return at === -1 ? {} : { start: at, end: at + String(words).length }
  }
  return [...cited(candidate.citationMetadata, place), ...grounded(candidate.groundingMetadata, place)]
}

type Place = (start: unknown, end: unknown, words?: unknown) => Pick<Citation, 'start' | 'end'>

function cited(metadata: unknown, place: Place): Citation[] {
  if (!isObject(metadata)) return []
  // The SDK calls them `citations`, the wire `citationSources`.
  const sources = [metadata.citationSources, metadata.citations].find(Array.isArray) ?? []
  return sources.filter(isObject).map(({ uri, title, startIndex, endIndex }) => ({
    kind: 'url',
    ...texts({ url: uri, title }),
    ...place(startIndex, endIndex),
  }))
}

function grounded(metadata: unknown, place: Place): Citation[] {
  if (!isObject(metadata) || !Array.isArray(metadata.groundingChunks)) return []
  const sources = metadata.groundingChunks.map(sourceOf)
  const supports = Array.isArray(metadata.groundingSupports) ? metadata.groundingSupports.filter(isObject) : []
  if (supports.length === 0) return sources.filter((source) => source !== undefined)
  return supports.flatMap(({ segment, groundingChunkIndices }) => {
    const indices = Array.isArray(groundingChunkIndices) ? groundingChunkIndices : []
    const where = isObject(segment)
      ? { ...texts({ cited: segment.text }), ...place(segment.startIndex, segment.endIndex, segment.text) }
      : {}
    return indices.flatMap((index) => {
      const source = sources[Number(index)]
      return source === undefined ? [] : [{ ...source, ...where }]
    })
  })
}

function sourceOf(chunk: unknown): Citation | undefined {
  if (!isObject(chunk)) return undefined
  const page = [chunk.web, chunk.maps, chunk.image].find(isObject)
  if (page !== undefined) return { kind: 'url', ...texts({ url: page.uri ?? page.sourceUri, title: page.title }) }
  const document = chunk.retrievedContext
  return isObject(document) ? { kind: 'document', ...texts({ url: document.uri, title: document.title }) } : undefined
}

/** The pages that a web search found, cited or not. */
export function decodeResults(metadata: Json): SearchResult[] {
  const chunks: readonly unknown[] = Array.isArray(metadata.groundingChunks) ? metadata.groundingChunks : []
  return chunks.flatMap((chunk) => {
    if (!isObject(chunk) || !isObject(chunk.web)) return []
    const { url, title } = texts({ url: chunk.web.uri, title: chunk.web.title })
    return url === undefined ? [] : [{ url, ...(title === undefined ? {} : { title }) }]
  })
}

type Texts = { url?: unknown; title?: unknown; cited?: unknown }

function texts(given: Texts): { url?: string; title?: string; cited?: string } {
  return Object.fromEntries(Object.entries(given).filter(([, text]) => typeof text === 'string' && text !== ''))
}

/**
 * The citations of one text. `offset` and `bytes`: where it stands in the text of its part.
 */
export type CitedText = {
  part: number
  offset: number
  bytes: number
  citations: readonly Citation[]
  text: string
  isAscii: boolean
}

export function encodeCitations(
  parts: readonly CitedText[],
  searches: readonly Omit<SearchBlock, 'type'>[],
): { groundingMetadata?: WireGrounding } {
  const chunks: WireGroundingChunk[] = []
  const indexOf = new Map<string, number>()
  const numberOf = (source: Pick<Citation, 'kind' | 'url' | 'title'>): number => {
    // Some vendors tell the title of a page only where it is cited.
    const key = source.url ?? JSON.stringify([source.kind, source.title])
    const index = indexOf.get(key) ?? chunks.push(chunkOf(source)) - 1
    indexOf.set(key, index)
    return index
  }
  const supports: NonNullable<WireGrounding['groundingSupports']> = []
  for (const cited of parts) {
    for (const citation of cited.citations) {
      const segment = {
        ...(cited.part === 0 ? {} : { partIndex: cited.part }),
        ...placeOf(citation, cited),
        ...(citation.cited === undefined ? {} : { text: citation.cited }),
      }
      supports.push({ segment, groundingChunkIndices: [numberOf(citation)] })
    }
  }
  const webSearchQueries = searches.flatMap(({ queries }) => queries)
  for (const { results } of searches) for (const { url, title } of results) numberOf(sourceAt(url, title))
  if (chunks.length === 0 && webSearchQueries.length === 0) return {}
  const grounding: WireGrounding = { groundingChunks: chunks, groundingSupports: supports }
  return { groundingMetadata: webSearchQueries.length === 0 ? grounding : { webSearchQueries, ...grounding } }
}

const sourceAt = (url: string, title: string | undefined) =>
  ({ kind: 'url', url, ...(title === undefined ? {} : { title }) }) as const

/** In bytes of the part's text; the whole text where the place is not known. */
function placeOf({ start, end }: Citation, { offset, bytes, text, isAscii }: CitedText) {
  const bytesBefore = (place: number | undefined, otherwise: number): number => {
    if (place === undefined) return offset + otherwise
    return offset + (isAscii ? place : utf8Length(text.slice(0, place)))
  }
  return { startIndex: bytesBefore(start, 0), endIndex: bytesBefore(end, bytes) }
}

function chunkOf({ kind, url, title }: Pick<Citation, 'kind' | 'url' | 'title'>): WireGroundingChunk {
  const source = { ...(url === undefined ? {} : { uri: url }), ...(title === undefined ? {} : { title }) }
  return kind === 'url' ? { web: source } : { retrievedContext: source }
}
