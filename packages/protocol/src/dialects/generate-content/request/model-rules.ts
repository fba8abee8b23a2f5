// Rules that differ by model. Names that say no generation (aliases, tuned models) are taken for the newest.

import { byModel } from '../../../canonical/encoding/by-model.ts'

export type ModelRules = {
  /** How hard to think: not to be asked, a number of tokens, or a word. */
  thinking: 'none' | 'budget' | 'level'
  /** The least and the most tokens of a budget; `least` above 0: thinking cannot be switched off. */
  budget: { least: number; most: number }
  /** The words that the model knows. */
  levels: readonly string[]
  /** Calls in the history have to carry a signature. */
  signedCalls: boolean
  /** Schemas may be JSON Schema; otherwise only the vendor's own kind is understood. */
  jsonSchema: boolean
  /** JSON as the form of the answer may be asked for beside tools; otherwise the vendor rejects the request. */
  jsonBesideTools: boolean
  /** Results of functions may hold media. */
  mediaInResults: boolean
  /** What the vendor bills of a search: each query, or the answer that was searched for. */
  searchesBilled: 'query' | 'answer'
}

const ALL_LEVELS = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']

export const rulesOf = byModel((model): ModelRules => {
  const generation = generationOf(model)
  const isPro = /-pro\b/.test(model)
  const isNew = generation >= 3
  return {
    thinking: isNew ? 'level' : generation >= 2.5 ? 'budget' : 'none',
    budget: isPro ? { least: 128, most: 32_768 } : { least: 0, most: 24_576 },
    levels: isPro ? (generation === 3 ? ['LOW', 'HIGH'] : ['LOW', 'MEDIUM', 'HIGH']) : ALL_LEVELS,
    signedCalls: isNew,
    jsonSchema: generation >= 2.5,
    jsonBesideTools: isNew,
    mediaInResults: isNew,
    searchesBilled: isNew ? 'query' : 'answer',
  }
})

/** `models/gemini-2.5-flash` -> 2.5. */
function generationOf(model: string): number {
  const found = /gemini-(\d{1,2}(?:\.\d)?)/i.exec(model)?.[1]
  return found === undefined ? Number.POSITIVE_INFINITY : Number(found)
}
