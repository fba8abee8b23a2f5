// Citations: five kinds on this dialect's wire, two in neutral terms.

import { isAddress } from '../../../canonical/media.ts'
import { isObject } from '../../../canonical/reading.ts'
import type { Citation } from '../../../canonical/request.ts'
import type { WireCitationOut } from '../wire.ts'

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Undefined when it is none. */
export function readCitation(wire: unknown): Citation | undefined {
  if (!isObject(wire)) return undefined
  const url = [wire.url, wire.source].map(text).find((address) => address !== undefined && isAddress(address))
  const title = text(wire.title) ?? text(wire.document_title)
  const cited = text(wire.cited_text)
  if (url === undefined && title === undefined && cited === undefined) return undefined
  return {
    kind: url === undefined ? 'document' : 'address',
    ...(url === undefined ? {} : { url }),
    ...(title === undefined ? {} : { title }),
    ...(cited === undefined ? {} : { cited }),
  }
}

export function readCitations(wire: unknown): Citation[] {
  return Array.isArray(wire) ? wire.map(readCitation).filter((citation) => citation !== undefined) : []
}

/**
 * Citations of a document need its number in the request and places in it, and those of a web search need the vendor's
 * own token. A search result is the one kind that any source fits. Undefined when there is none.
 */
export function writeCitation(citation: Citation): WireCitationOut | undefined {
  const source = citation.url ?? citation.title
  if (source === undefined) return undefined
  return {
    type: 'search_result_location',
    source,
    title: citation.title ?? null,
    cited_text: citation.cited ?? '',
    search_result_index: 0,
    start_block_index: 0,
    end_block_index: 0,
  }
}
