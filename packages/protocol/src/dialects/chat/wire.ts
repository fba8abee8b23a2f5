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
  prompt_tokens_details?: {
    cached_tokens?: unknown
    cache_write_tokens?: unknown
    audio_tokens?: unknown
    image_tokens?: unknown
    cached_tokens_details?: { audio_tokens?: unknown } | null
  } | null
  completion_tokens_details?: { reasoning_tokens?: unknown; audio_tokens?: unknown; image_tokens?: unknown } | null
  /** DeepSeek's name for the cached part of the input. */
  prompt_cache_hit_tokens?: unknown
  /** Moonshot's name for the same. */
  cached_tokens?: unknown
  /** OpenRouter's and xAI's word on what the answer costs. */
  cost?: unknown
  cost_in_usd_ticks?: unknown
  /** What xAI and Perplexity bill of a search. */
  num_sources_used?: unknown
  num_search_queries?: unknown
  server_side_tool_usage_details?: unknown
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

// What the gateway writes: to upstreams ...

export type WrittenTextPart = { type: 'text'; text: string }

export type WrittenPart =
  | WrittenTextPart
  | { type: 'image_url'; image_url: { url: string; detail?: 'auto' | 'low' | 'high' } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } }
  | { type: 'file'; file: { file_data: string; filename: string } }

/** Google's place for the signature that a call must be sent back with. */
export type ExtraContent = { google: { thought_signature: string } }

export type WrittenCall =
  | { id: string; type: 'function'; function: { name: string; arguments: string }; extra_content?: ExtraContent }
  | { id: string; type: 'custom'; custom: { name: string; input: string }; extra_content?: ExtraContent }

export type WrittenMessage =
  | { role: 'system' | 'developer'; content: string | WrittenTextPart[] }
  | { role: 'user'; content: string | WrittenPart[]; name?: string }
  | {
      role: 'assistant'
      content: string | null
      reasoning_content?: string
      refusal?: string
      tool_calls?: WrittenCall[]
      name?: string
    }
  | { role: 'tool'; tool_call_id: string; content: string | WrittenTextPart[] }

export type WrittenTool =
  | {
      type: 'function'
      function: { name: string; description?: string; parameters?: Record<string, unknown>; strict?: boolean }
    }
  | {
      type: 'custom'
      custom: {
        name: string
        description?: string
        format?: { type: 'grammar'; grammar: { syntax: 'lark' | 'regex'; definition: string } }
      }
    }

export type NamedTool = { type: 'function'; function: { name: string } } | { type: 'custom'; custom: { name: string } }

export type WrittenToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | NamedTool
  | { type: 'allowed_tools'; allowed_tools: { mode: 'auto' | 'required'; tools: Record<string, unknown>[] } }

export type WrittenFormat =
  | { type: 'json_object' }
  | {
      type: 'json_schema'
      json_schema: { name: string; description?: string; schema: Record<string, unknown>; strict?: boolean }
    }

// ... and to clients.

export type FinishWord = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'function_call'

export type WrittenUsage = {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details: {
    cached_tokens: number
    cache_write_tokens?: number
    audio_tokens?: number
    image_tokens?: number
  }
  completion_tokens_details: { reasoning_tokens: number; audio_tokens?: number; image_tokens?: number }
}

export type WrittenTier = 'default' | 'flex' | 'scale' | 'priority'

export type WrittenAnnotation = {
  type: 'url_citation'
  url_citation: { start_index: number; end_index: number; title: string; url: string }
}

export type WrittenLogprob = {
  token: string
  bytes: number[] | null
  logprob: number
  top_logprobs: { token: string; bytes: number[] | null; logprob: number }[]
}

export type WrittenLogprobs = { content: WrittenLogprob[] | null; refusal: null }

export type WrittenReplyMessage = {
  role: 'assistant'
  content: string | null
  refusal: string | null
  reasoning_content?: string
  annotations?: WrittenAnnotation[]
  images?: WrittenImage[]
  tool_calls?: WrittenCall[]
  function_call?: { name: string; arguments: string }
}

/** Not of the protocol's first vendor; others give images that a model made in this way. */
export type WrittenImage = { type: 'image_url'; image_url: { url: string } }

export type WrittenChoice = {
  index: number
  message: WrittenReplyMessage
  logprobs: WrittenLogprobs | null
  finish_reason: FinishWord
}

export type WrittenReply = {
  id: string
  object: 'chat.completion'
  created: number
  model: string
  choices: WrittenChoice[]
  usage: WrittenUsage
  service_tier?: WrittenTier
}
