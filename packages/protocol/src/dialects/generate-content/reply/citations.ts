// Sources of what was said, both ways. This dialect counts places in bytes of UTF-8.

import { isObject } from '../../../canonical/reading.ts'
import type { Citation } from '../../../canonical/request.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import type { WireCandidate, WireGrounding, WireGroundingChunk } from '../wire.ts'

/** Places are dropped unless `bytesAreCharacters`: a stream does not keep the text that they would be counted in. */
export function decodeCitations(candidate: WireCandidate, bytesAreCharacters: boolean): Citation[] {
  const place = (start: unknown, end: unknown): Pick<Citation, 'start' | 'end'> =>
    bytesAreCharacters && typeof end === 'number' ? { start: typeof start === 'number' ? start : 0, end } : {}
  return [...cited(candidate.citationMetadata, place), ...grounded(candidate.groundingMetadata, place)]
}

type Place = (start: unknown, end: unknown) => Pick<Citation, 'start' | 'end'>

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
      ? { ...texts({ cited: segment.text }), ...place(segment.startIndex, segment.endIndex) }
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

type Texts = { url?: unknown; title?: unknown; cited?: unknown }

function texts(given: Texts): { url?: string; title?: string; cited?: string } {
  return Object.fromEntries(Object.entries(given).filter(([, text]) => typeof text === 'string' && text !== ''))
}

/** The citations of one text part. `text`: the whole of it where it is known, so that places can be counted in bytes. */
export type CitedText = { part: number; citations: readonly Citation[]; text: string | undefined; isAscii: boolean }

export function encodeCitations(parts: readonly CitedText[]): { groundingMetadata?: WireGrounding } {
  const chunks: WireGroundingChunk[] = []
  const indexOf = new Map<string, number>()
  const supports: NonNullable<WireGrounding['groundingSupports']> = []
  for (const { part, citations, text, isAscii } of parts) {
    for (const citation of citations) {
      const key = JSON.stringify([citation.kind, citation.url, citation.title])
      const index = indexOf.get(key) ?? chunks.push(chunkOf(citation)) - 1
      indexOf.set(key, index)
      const bytesBefore = (end: number | undefined): number | undefined => {
        if (end === undefined || isAscii) return end
        return text === undefined ? undefined : utf8Length(text.slice(0, end))
      }
      const startIndex = bytesBefore(citation.start)
      const endIndex = bytesBefore(citation.end)
      const segment = {
        ...(part === 0 ? {} : { partIndex: part }),
        ...(startIndex === undefined ? {} : { startIndex }),
        ...(endIndex === undefined ? {} : { endIndex }),
        ...(citation.cited === undefined ? {} : { text: citation.cited }),
      }
      supports.push({ segment, groundingChunkIndices: [index] })
    }
  }
  if (chunks.length === 0) return {}
  return { groundingMetadata: { groundingChunks: chunks, groundingSupports: supports } }
}

function chunkOf({ kind, url, title }: Citation): WireGroundingChunk {
  const source = { ...(url === undefined ? {} : { uri: url }), ...(title === undefined ? {} : { title }) }
  return kind === 'url' ? { web: source } : { retrievedContext: source }
}
