// Why a reply ended: the upstream's own word, and one of four that mean the same in every dialect.

export type FinishReason = 'completed' | 'incomplete' | 'content_filtered' | 'tool_calls'

export type Finish = { raw: string; unified: FinishReason }
