// Why an answer ended, in this dialect's words and back.

import type { Stop, StopReason } from '../../../canonical/finish.ts'
import type { WireMessageOut, WireReply, WireStopReason } from '../wire.ts'

const REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: 'end',
  max_tokens: 'length',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool',
  pause_turn: 'pause',
  // The vendor's safety system steps in, not the model: what others call a content filter.
  refusal: 'filter',
  model_context_window_exceeded: 'context',
}

const WORDS: Readonly<Record<StopReason, WireStopReason>> = {
  end: 'end_turn',
  length: 'max_tokens',
  stop_sequence: 'stop_sequence',
  tool: 'tool_use',
  refusal: 'refusal',
  filter: 'refusal',
  pause: 'pause_turn',
  context: 'model_context_window_exceeded',
  malformed_tool: 'end_turn',
  other: 'end_turn',
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

/** Undefined while there is no reason yet. */
export function decodeStop(from: Pick<WireReply, 'stop_reason' | 'stop_sequence' | 'stop_details'>): Stop | undefined {
  const raw = from.stop_reason
  if (!isText(raw)) return undefined
  const reason = Object.hasOwn(REASONS, raw) ? (REASONS[raw] ?? 'other') : 'other'
  const detail = [from.stop_details?.explanation, from.stop_details?.category].find(isText)
  return {
    raw,
    reason,
    ...(isText(from.stop_sequence) ? { sequence: from.stop_sequence } : {}),
    ...(detail === undefined ? {} : { detail }),
  }
}

export type EncodedStop = Pick<WireMessageOut, 'stop_reason' | 'stop_sequence' | 'stop_details'>

/** `refused`: the reply contains a refusal, which this dialect expresses only by the stop reason. */
export function encodeStop(stop: Stop | undefined, seen: { refused: boolean; called: boolean }): EncodedStop {
  const word = seen.refused ? 'refusal' : stop === undefined ? (seen.called ? 'tool_use' : 'end_turn') : wordOf(stop)
  const explained = word === 'refusal' && stop?.detail !== undefined
  return {
    stop_reason: word,
    stop_sequence: word === 'stop_sequence' ? (stop?.sequence ?? null) : null,
    stop_details: explained ? { type: 'refusal', category: null, explanation: stop.detail ?? null } : null,
  }
}

/** Clients expect `stop_sequence` to name the sequence; if it is unknown, the reason is an ordinary end. */
const wordOf = ({ reason, sequence }: Stop): WireStopReason =>
  reason === 'stop_sequence' && sequence === undefined ? 'end_turn' : WORDS[reason]
