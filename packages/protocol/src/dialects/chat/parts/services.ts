// What services of this dialect differ in, as far as a request depends on it. The name of the model tells the family.

import type { ChatCapField } from '../wire.ts'

export type Service = {
  cap: ChatCapField
  endUser: 'safety_identifier' | 'user'
  instructions: 'system' | 'developer'
  /**
   * Thoughts of earlier turns as `reasoning_content`. `demanded`: calls without them are refused, so even unknown ones
   * are sent, as empty text. `refused`: the field itself is a mistake there.
   */
  reasoning: 'taken' | 'demanded' | 'refused'
  /** How hard to think: by the protocol's word, by a switch, or by a switch and three words. */
  effort: 'word' | 'switch' | 'switch and word'
  /** Knows tools that take free text; elsewhere they go out as functions of one text. */
  customTools: boolean
  /** The only form of a call's id that it takes; undefined: the usual. */
  callIds?: 'nine letters and digits'
}

const USUAL: Service = {
  cap: 'max_completion_tokens',
  endUser: 'safety_identifier',
  instructions: 'system',
  reasoning: 'taken',
  effort: 'word',
  customTools: true,
}

/** Services that never took up the newer names: they would ignore the cap, and the answer could cost any sum. */
const OLDER: Service = { ...USUAL, cap: 'max_tokens', endUser: 'user', customTools: false }

const FAMILIES: readonly [name: RegExp, service: Service][] = [
  [/^(o\d|gpt-[5-9])/, { ...USUAL, instructions: 'developer', reasoning: 'refused' }],
  [/^(gpt-\d|chatgpt-)/, { ...USUAL, reasoning: 'refused' }],
  [/^deepseek/, { ...OLDER, reasoning: 'demanded', effort: 'switch and word' }],
  [/^(kimi|moonshot)/, { ...OLDER, cap: 'max_completion_tokens', reasoning: 'demanded', effort: 'switch' }],
  [/^glm/, { ...OLDER, effort: 'switch' }],
  [
    /^(mistral|ministral|magistral|codestral|devstral|pixtral|open-mi)/,
    { ...OLDER, reasoning: 'refused', callIds: 'nine letters and digits' },
  ],
  [/^(qwen|qwq|llama|meta-llama|gemma|gemini|command|phi)/, OLDER],
]

export function serviceOf(model: string): Service {
  // `vendor/model` is how resellers name them.
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? USUAL
}
