// Web searches, which this dialect tells in two blocks: the call with its query, and the pages that were found.

import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { SearchBlock } from '../../../canonical/reply.ts'
import type { SearchResult } from '../../../canonical/request.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import type { WireBlockOut } from '../wire.ts'

const RESULT = 'web_search_tool_result'

/** Calls of a search whose results have not come yet. */
export type OpenSearches = {
  /** Whether the block is a part of a search. */
  isPart(wire: Json): boolean
  /** Takes such a block. A search is complete with its results. */
  take(wire: Json): SearchBlock | undefined
  /** A piece of the input of the newest call. */
  addInput(json: string): void
  /** Searches that the answer ended without results of. */
  rest(): SearchBlock[]
}

/** A query has a few words; what is beyond this is no query. */
const LONGEST_INPUT = 16_384

export function openSearches(): OpenSearches {
  let open: { id: unknown; query: string; input: string }[] = []
  const queryOf = ({ query, input }: (typeof open)[number]): string[] => {
    const value = input === '' ? undefined : parsedJson(input)
    const said = query || (isObject(value) && typeof value.query === 'string' ? value.query : '')
    return said === '' ? [] : [said]
  }
  return {
    isPart: ({ type, name }) => type === RESULT || (type === 'server_tool_use' && name === 'web_search'),
    take(wire) {
      if (wire.type !== RESULT) {
        const query = isObject(wire.input) && typeof wire.input.query === 'string' ? wire.input.query : ''
        open.push({ id: wire.id, query, input: '' })
        return undefined
      }
      const call = open.find(({ id }) => id === wire.tool_use_id)
      open = open.filter((each) => each !== call)
      const queries = call === undefined ? [] : queryOf(call)
      if (!Array.isArray(wire.content)) return { type: 'search', queries, results: [], failed: true }
      return { type: 'search', queries, results: wire.content.flatMap(resultOf) }
    },
    addInput(json) {
      const call = open.at(-1)
      if (call !== undefined && call.input.length < LONGEST_INPUT) call.input += json
    },
    rest: () => open.map((call) => ({ type: 'search', queries: queryOf(call), results: [] })),
  }
}

function resultOf(wire: unknown): SearchResult[] {
  if (!isObject(wire) || typeof wire.url !== 'string') return []
  const result: SearchResult = { url: wire.url }
  if (typeof wire.title === 'string' && wire.title !== '') result.title = wire.title
  if (typeof wire.page_age === 'string' && wire.page_age !== '') result.age = wire.page_age
  return [result]
}

const DIRECT = { type: 'direct' } as const

/**
 * The blocks of a search, two for each query, the first of which gets all results. `number`: of the first block in the answer.
 * What the vendor would know a page by again is sealed, as in citations.
 */
export function encodeSearch(
  { queries, results, failed }: Omit<SearchBlock, 'type'>,
  number: number,
  { id: answer, seal }: ReplyContext,
): WireBlockOut[] {
  const asked = queries.length === 0 ? [''] : queries
  return asked.flatMap((query, at): WireBlockOut[] => {
    const id = `srvtoolu_${answer}_${number + 2 * at}`
    const found = (at === 0 ? results : []).map(({ url, title = url, age = null }) => ({
      type: 'web_search_result' as const,
      url,
      title,
      encrypted_content: seal(''),
      page_age: age,
    }))
    const content = failed ? ({ type: 'web_search_tool_result_error', error_code: 'unavailable' } as const) : found
    return [
      { type: 'server_tool_use', id, name: 'web_search', input: { query }, caller: DIRECT },
      { type: RESULT, tool_use_id: id, content, caller: DIRECT },
    ]
  })
}
