// Citations and log probabilities: the two things that accompany text.

import type { Logprob } from '../../../canonical/event.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import type { SearchBlock } from '../../../canonical/reply.ts'
import type { Citation, SearchResult } from '../../../canonical/request.ts'
import type { WrittenAnnotation, WrittenLogprob } from '../wire.ts'

/** The annotations of a message or a delta. */
export function decodeAnnotations(value: unknown): Citation[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((annotation): Citation[] => {
    if (!isObject(annotation)) return []
    const cited = isObject(annotation.url_citation) ? annotation.url_citation : undefined
    return cited !== undefined && typeof cited.url === 'string' ? [citationOf(cited, cited.url)] : []
  })
}

function citationOf(cited: Json, url: string): Citation {
  const { title, start_index: start, end_index: end } = cited
  return {
    kind: 'url',
    url,
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    ...(isPlace(start) ? { start } : {}),
    ...(isPlace(end) ? { end } : {}),
  }
}

const isPlace = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0

/** The sources that services of search name beside the choices: URLs, or results with a title. */
export function decodeSources({ search_results, web_search, citations }: Json): Citation[] {
  // Asked of every reply and every chunk, of which most name none.
  if (search_results === undefined && web_search === undefined && citations === undefined) return []
  const results = [search_results, web_search, citations].find((list) => Array.isArray(list) && list.length > 0)
  if (!Array.isArray(results)) return []
  return results.flatMap((source): Citation[] => {
    if (typeof source === 'string') return [{ kind: 'url', url: source }]
    const url = isObject(source) ? (source.url ?? source.link) : undefined
    return isObject(source) && typeof url === 'string' && url !== '' ? [citationOf({ title: source.title }, url)] : []
  })
}

/** The search that an answer was made of: this dialect tells no query, and no other pages than those that are cited. */
export function searchFor(citations: readonly Citation[]): SearchBlock | undefined {
  const results = new Map<string, SearchResult>()
  for (const { url, title } of citations)
    if (url !== undefined && !results.has(url)) results.set(url, { url, ...(title === undefined ? {} : { title }) })
  return results.size === 0 ? undefined : { type: 'search', queries: [], results: [...results.values()] }
}

/**
 * `offset`: where the block begins in the message's text; `length`: of the block. Undefined when the dialect has no words
 * for it, since it cites URLs only.
 */
export function encodeCitation(citation: Citation, offset: number, length: number): WrittenAnnotation | undefined {
  if (citation.url === undefined) return undefined
  const { title, url, start, end } = citation
  return {
    type: 'url_citation',
    url_citation: {
      start_index: offset + (start ?? 0),
      end_index: offset + (end ?? length),
      title: title ?? '',
      url,
    },
  }
}

/** Reads a choice's `logprobs`. */
export function decodeLogprobs(value: unknown): Logprob[] {
  if (!isObject(value) || !Array.isArray(value.content)) return []
  return value.content.flatMap((item): Logprob[] => {
    const token = tokenOf(item)
    if (token === undefined) return []
    const others: readonly unknown[] = isObject(item) && Array.isArray(item.top_logprobs) ? item.top_logprobs : []
    return [{ ...token, top: others.flatMap((other) => tokenOf(other) ?? []) }]
  })
}

function tokenOf(item: unknown): { token: string; logprob: number; bytes?: readonly number[] } | undefined {
  if (!isObject(item) || typeof item.token !== 'string' || typeof item.logprob !== 'number') return undefined
  const { token, logprob, bytes } = item
  return { token, logprob, ...(isBytes(bytes) ? { bytes } : {}) }
}

const isBytes = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((byte) => typeof byte === 'number')

export function encodeLogprob({ token, logprob, bytes, top }: Logprob): WrittenLogprob {
  const others = top.map((other) => ({ token: other.token, logprob: other.logprob, bytes: listOf(other.bytes) }))
  return { token, logprob, bytes: listOf(bytes), top_logprobs: others }
}

const listOf = (bytes: readonly number[] | undefined): number[] | null => (bytes === undefined ? null : [...bytes])
