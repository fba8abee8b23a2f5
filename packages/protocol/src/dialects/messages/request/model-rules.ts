// What the models behind this dialect take, as far as their names tell. Sampling and thinking are rules of the model,
// not of the protocol. The first row that fits counts; names that fit none get the rules that most services keep.

import { byModel } from '../../../canonical/encoding/by-model.ts'
import type { WireEffort } from '../wire.ts'

export type ModelRules = {
  /** `adaptive`: the model decides, guided by an effort. `enabled`: a budget of tokens. `none`: it does not think. */
  thinking: 'adaptive' | 'enabled' | 'none'
  /** Words that it knows, in rising order. */
  efforts: readonly WireEffort[]
  /** `one`: either temperature or top_p. `none`: neither, nor top_k. */
  sampling: 'all' | 'one' | 'none'
  /** Takes a schema for its answer, and strict tools. */
  schemas: boolean
  /** Takes instructions in the middle of a conversation as such. */
  midSystem: boolean
}

const UP_TO_HIGH: readonly WireEffort[] = ['low', 'medium', 'high']
const UP_TO_MAX: readonly WireEffort[] = ['low', 'medium', 'high', 'xhigh', 'max']

const NEWEST: ModelRules = {
  thinking: 'adaptive',
  efforts: UP_TO_MAX,
  sampling: 'none',
  schemas: true,
  midSystem: true,
}
const BUDGETED: ModelRules = {
  thinking: 'enabled',
  efforts: UP_TO_HIGH,
  sampling: 'one',
  schemas: true,
  midSystem: false,
}

const UNKNOWN: ModelRules = { ...BUDGETED, sampling: 'all' }

const ROWS: readonly [name: RegExp, rules: ModelRules][] = [
  [
    /claude-(?:2|instant|3-(?:5|opus|sonnet|haiku))/,
    { ...BUDGETED, thinking: 'none', sampling: 'all', schemas: false },
  ],
  [/claude-3-7/, { ...BUDGETED, sampling: 'all', schemas: false }],
  [/claude-(?:opus|sonnet|haiku)-4-(?:[89]|\d\d)(?!\d)/, NEWEST],
  [/claude-(?:opus|sonnet|haiku)-4-7/, { ...NEWEST, midSystem: false }],
  [
    /claude-(?:opus|sonnet|haiku)-4-6/,
    { ...NEWEST, efforts: ['low', 'medium', 'high', 'max'], sampling: 'one', midSystem: false },
  ],
  [/claude-opus-4-1|claude-(?:opus|sonnet|haiku)-4-5/, BUDGETED],
  [/claude-(?:opus|sonnet|haiku)-4/, { ...BUDGETED, sampling: 'all', schemas: false }],
  [/claude-(?:[a-z]+-)?(?:[5-9]|\d\d)(?!\d)/, NEWEST],
]

/** Resellers put a vendor, a region or a version around the name, and some write dots. */
export const rulesOf = byModel((model): ModelRules => {
  const name = model.toLowerCase().replaceAll('.', '-')
  return ROWS.find(([pattern]) => pattern.test(name))?.[1] ?? UNKNOWN
})
