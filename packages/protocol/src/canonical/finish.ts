// Why a reply ended: the upstream's own word, and one that means the same in every dialect.

/** What the ledger tells apart. */
export type FinishReason = 'completed' | 'incomplete' | 'content_filtered' | 'tool_calls'

export type Finish = { raw: string; unified: FinishReason }

/** What the dialects tell apart. `malformed_tool`: the model meant to call a tool and failed at it. */
export type StopReason =
  | 'end'
  | 'length'
  | 'stop_sequence'
  | 'tool'
  | 'refusal'
  | 'filter'
  | 'pause'
  | 'context'
  | 'malformed_tool'
  | 'other'

export type Stop = {
  raw: string
  reason: StopReason
  /** The stop sequence that was met, where the upstream says which. */
  sequence?: string
  /** The explanation of a refusal, in the upstream's words. */
  detail?: string
}

const FINISH_OF: Record<StopReason, FinishReason> = {
  end: 'completed',
  stop_sequence: 'completed',
  tool: 'tool_calls',
  pause: 'completed',
  other: 'completed',
  malformed_tool: 'completed',
  refusal: 'completed',
  length: 'incomplete',
  context: 'incomplete',
  filter: 'content_filtered',
}

export function finishOf({ raw, reason }: Stop): Finish {
  return { raw, unified: FINISH_OF[reason] }
}
