// Why an answer ended: this dialect's words, both ways. It has none for a call of a tool.

import type { Stop, StopReason } from '../../../canonical/finish.ts'

const REASON_OF: Readonly<Record<string, StopReason>> = {
  STOP: 'end',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  SAFETY: 'filter',
  RECITATION: 'filter',
  LANGUAGE: 'filter',
  BLOCKLIST: 'filter',
  PROHIBITED_CONTENT: 'filter',
  SPII: 'filter',
  MODEL_ARMOR: 'filter',
  NO_IMAGE: 'other',
  MALFORMED_FUNCTION_CALL: 'malformed_tool',
  UNEXPECTED_TOOL_CALL: 'malformed_tool',
  TOO_MANY_TOOL_CALLS: 'malformed_tool',
}

export function stopOf(raw: string, sawCall: boolean, message: string | undefined): Stop {
  const known = Object.hasOwn(REASON_OF, raw) ? REASON_OF[raw] : undefined
  const reason = known ?? (raw.startsWith('IMAGE_') ? 'filter' : 'other')
  return {
    raw,
    reason: reason === 'end' && sawCall ? 'tool' : reason,
    ...(message === undefined || reason === 'end' ? {} : { detail: message }),
  }
}

/** The prompt itself was blocked: there is no answer. */
export function blockedStop(reason: string, message: string | undefined): Stop {
  return { raw: reason, reason: 'filter', ...(message === undefined ? {} : { detail: message }) }
}

const WORD_OF: Record<StopReason, string> = {
  end: 'STOP',
  stop_sequence: 'STOP',
  tool: 'STOP',
  pause: 'STOP',
  length: 'MAX_TOKENS',
  context: 'MAX_TOKENS',
  filter: 'SAFETY',
  refusal: 'SAFETY',
  malformed_tool: 'MALFORMED_FUNCTION_CALL',
  other: 'OTHER',
}

/** `refused`: the answer holds a refusal in the model's own words, whatever its upstream gave as the reason. */
export function finishFields(
  stop: Stop | undefined,
  refused: boolean,
): { finishReason: string; finishMessage?: string } {
  const word = WORD_OF[stop?.reason ?? 'end']
  return {
    finishReason: refused && word === 'STOP' ? WORD_OF.refusal : word,
    ...(stop?.detail === undefined ? {} : { finishMessage: stop.detail }),
  }
}
