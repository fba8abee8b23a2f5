// The chat protocol's fields as they stand on the wire: only those that the gateway reads or writes.
// Everything from an upstream is optional, since compatible services leave out what they please.

export type ChatStreamOptions = { include_usage?: boolean | null }

/** The request fields that the gateway looks at. All others pass through untouched. */
export type ChatRequestFields = {
  model: string
  messages: unknown[]
  stream?: boolean | null
  stream_options?: ChatStreamOptions | null
  temperature?: number | null
  top_p?: number | null
  max_tokens?: number | null
  max_completion_tokens?: number | null
  n?: number | null
  stop?: string | string[] | null
  tools?: unknown[] | null
  tool_choice?: string | object | null
  user?: string | null
  safety_identifier?: string | null
}

/** The two names under which a caller may limit the output. */
export type ChatCapField = 'max_tokens' | 'max_completion_tokens'

export type ChatUsage = {
  prompt_tokens?: unknown
  completion_tokens?: unknown
  total_tokens?: unknown
  prompt_tokens_details?: { cached_tokens?: unknown; cache_write_tokens?: unknown } | null
  completion_tokens_details?: { reasoning_tokens?: unknown } | null
  /** DeepSeek's name for the cached part of the input. */
  prompt_cache_hit_tokens?: unknown
  /** Moonshot's name for the same. */
  cached_tokens?: unknown
}

/** What carries text in a reply's message or in a stream's delta. */
export type ChatText = {
  content?: unknown
  reasoning_content?: unknown
  reasoning?: unknown
  refusal?: unknown
  tool_calls?: unknown
}

export type ChatChoice = {
  message?: ChatText | null
  delta?: ChatText | null
  finish_reason?: string | null
  usage?: ChatUsage | null
}

/** A reply, or one chunk of a stream. */
export type ChatReplyFields = {
  object?: unknown
  model?: unknown
  choices?: ChatChoice[] | null
  usage?: ChatUsage | null
  error?: unknown
}
