// Why an answer ended: this dialect's words, and those of the services that took it over.

import type { Stop, StopReason } from '../../../canonical/finish.ts'
import type { FinishWord } from '../wire.ts'

const REASONS = new Map<string, StopReason>([
  ['stop', 'end'],
  ['length', 'length'],
  ['tool_calls', 'tool'],
  ['function_call', 'tool'],
  ['content_filter', 'filter'],
  // Words of compatible services.
  ['end_turn', 'end'],
  ['eos', 'end'],
  ['stop_sequence', 'stop_sequence'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'context'],
  ['tool_use', 'tool'],
  ['safety', 'filter'],
  ['sensitive', 'filter'],
])

/** What a choice had in it, which tells more than the word of some services. */
export type Seen = { calls: boolean; refusal: boolean }

/** Undefined: nothing was said, and nothing in the answer tells. */
export function stopOf(raw: string | undefined, seen: Seen): Stop | undefined {
  if (raw === undefined) return seen.calls ? { raw: '', reason: 'tool' } : undefined
  const reason = REASONS.get(raw) ?? 'other'
  if (reason !== 'end') return { raw, reason }
  // `stop` beside calls is how several services end every answer; a client that believed it would not run the tools.
  if (seen.calls) return { raw, reason: 'tool' }
  return { raw, reason: seen.refusal ? 'refusal' : 'end' }
}

/** An empty word is no word. */
export const finishWord = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const WORDS: Record<StopReason, FinishWord> = {
  end: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  context: 'length',
  tool: 'tool_calls',
  filter: 'content_filter',
  refusal: 'stop',
  pause: 'stop',
  malformed_tool: 'stop',
  other: 'stop',
}

/** `legacy`: the caller speaks of functions. */
export function wordOf(stop: Stop | undefined, hasCalls: boolean, legacy: boolean): FinishWord {
  const word = stop === undefined ? (hasCalls ? 'tool_calls' : 'stop') : WORDS[stop.reason]
  return legacy && word === 'tool_calls' ? 'function_call' : word
}
