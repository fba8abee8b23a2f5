// Citations: five kinds on this dialect's wire, two in canonical terms.

import { isHttpUrl } from '../../../canonical/media.ts'
import { isObject } from '../../../canonical/reading.ts'
import type { Citation } from '../../../canonical/request.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import type { WireCitationOut } from '../wire.ts'

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

/** Undefined when it is none. */
export function decodeCitation(wire: unknown): Citation | undefined {
  if (!isObject(wire)) return undefined
  const url = [wire.url, wire.source].map(text).find((source) => source !== undefined && isHttpUrl(source))
  const title = text(wire.title) ?? text(wire.document_title)
  const cited = text(wire.cited_text)
  if (url === undefined && title === undefined && cited === undefined) return undefined
  return {
    kind: url === undefined ? 'document' : 'url',
    ...(url === undefined ? {} : { url }),
    ...(title === undefined ? {} : { title }),
    ...(cited === undefined ? {} : { cited }),
  }
}

export function decodeCitations(wire: unknown): Citation[] {
  return Array.isArray(wire) ? wire.map(decodeCitation).filter((citation) => citation !== undefined) : []
}

export const canCite = ({ url, title }: Citation): boolean => url !== undefined || title !== undefined

/**
 * In the two forms that every version of every SDK reads. Those of a web search have a token by which the vendor knows
 * them again: ours is sealed, so that a conversation with one in it is not passed to the vendor as it is. Undefined when
 * there is no source.
 */
export function encodeCitation(citation: Citation, seal: ReplyContext['seal']): WireCitationOut | undefined {
  const { url, title, cited = '' } = citation
  if (url !== undefined) {
    return {
      type: 'web_search_result_location',
      url,
      title: title ?? '',
      cited_text: cited,
      encrypted_index: seal(''),
    }
  }
  if (title === undefined) return undefined
  return {
    type: 'char_location',
    cited_text: cited,
    // Which document of the request it is, if it is one of them, is not known.
    document_index: 0,
    document_title: title,
    start_char_index: 0,
    end_char_index: 0,
  }
}
