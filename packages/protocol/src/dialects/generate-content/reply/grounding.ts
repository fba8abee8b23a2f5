// Searches that were made for an answer, as the vendor bills them.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { rulesOf } from '../request/model-rules.ts'

export type GroundedCalls = {
  /** A candidate's `groundingMetadata`. It may be told again and again, and grow. */
  add(metadata: unknown): void
  /** The model that answers, by the upstream's name for it. */
  model: string
  counts(): { web_search?: number; google_maps?: number }
}

/** More different queries for one answer than this are not remembered one by one. */
const MOST_QUERIES = 1_000

export function openGroundedCalls(): GroundedCalls {
  const queries = new Set<string>()
  let isMapped = false
  return {
    model: '',
    add(metadata) {
      if (!isObject(metadata)) return
      for (const query of queriesIn(metadata)) if (queries.size < MOST_QUERIES) queries.add(query)
      isMapped ||= hasPlaces(metadata)
    },
    counts() {
      const isByAnswer = rulesOf(this.model).searchesBilled === 'answer'
      const searches = isByAnswer ? Math.min(1, queries.size) : queries.size
      return { ...(searches > 0 ? { web_search: searches } : {}), ...(isMapped ? { google_maps: 1 } : {}) }
    },
  }
}

export const queriesIn = (metadata: Json): string[] => [
  ...textsIn(metadata.webSearchQueries),
  ...textsIn(metadata.imageSearchQueries),
]

const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((query) => typeof query === 'string' && query !== '') : []

/** Maps are billed by the answer that has places in it. */
const hasPlaces = ({ groundingChunks: chunks }: Json): boolean =>
  Array.isArray(chunks) && chunks.some((chunk) => isObject(chunk) && isObject(chunk.maps))
