// The responses protocol's fields as they stand on the wire: only those that the gateway reads or writes.
// What is read is all optional and unknown, since compatible services leave out what they please; what is written is
// exact.

/** The request fields that the gateway looks at. */
export type RequestFields = {
  model?: string | null
  input?: string | readonly object[] | null
  instructions?: string | null
  previous_response_id?: string | null
  conversation?: string | object | null
  prompt?: object | null
  background?: boolean | null
  max_output_tokens?: number | null
  temperature?: number | null
  top_p?: number | null
  top_logprobs?: number | null
  include?: readonly string[] | null
  tools?: readonly object[] | null
  tool_choice?: string | object | null
  parallel_tool_calls?: boolean | null
  reasoning?: { effort?: string | null; summary?: string | null; generate_summary?: string | null } | null
  text?: { format?: object | null; verbosity?: string | null } | null
  stream?: boolean | null
  store?: boolean | null
  metadata?: { [key: string]: string } | null
  service_tier?: string | null
  prompt_cache_key?: string | null
  safety_identifier?: string | null
  user?: string | null
  truncation?: string | null
}

/** A whole answer, or the `response` of an event, as an upstream may write it. */
export type ReadResponse = {
  readonly id?: unknown
  readonly status?: unknown
  readonly error?: unknown
  readonly incomplete_details?: unknown
  readonly output?: unknown
  readonly usage?: unknown
  readonly service_tier?: unknown
  readonly tool_usage?: unknown
}

/** What the events of a stream have between them. */
export type ReadEvent = {
  readonly type?: unknown
  readonly response?: unknown
  readonly item?: unknown
  readonly item_id?: unknown
  readonly output_index?: unknown
  readonly content_index?: unknown
  readonly summary_index?: unknown
  readonly part?: unknown
  readonly delta?: unknown
  readonly text?: unknown
  readonly refusal?: unknown
  readonly arguments?: unknown
  readonly input?: unknown
  readonly annotation?: unknown
  readonly logprobs?: unknown
  readonly error?: unknown
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export type WrittenAnnotation =
  | { type: 'url_citation'; start_index: number; end_index: number; url: string; title: string }
  | { type: 'file_citation'; file_id: string; filename: string; index: number }

export type WrittenLogprob = {
  token: string
  logprob: number
  bytes: number[]
  top_logprobs: { token: string; logprob: number; bytes: number[] }[]
}

export type WrittenPart =
  | { type: 'output_text'; text: string; annotations: WrittenAnnotation[]; logprobs?: WrittenLogprob[] }
  | { type: 'refusal'; refusal: string }

export type WrittenItem =
  | { id: string; type: 'message'; role: 'assistant'; status: ItemStatus; content: WrittenPart[] }
  | {
      id: string
      type: 'reasoning'
      summary: { type: 'summary_text'; text: string }[]
      content?: { type: 'reasoning_text'; text: string }[]
      encrypted_content?: string
      status?: ItemStatus
    }
  | {
      id: string
      type: 'function_call'
      call_id: string
      name: string
      namespace?: string
      arguments: string
      status: ItemStatus
    }
  | { id: string; type: 'custom_tool_call'; call_id: string; name: string; namespace?: string; input: string }
  | {
      id: string
      type: 'image_generation_call'
      status: 'in_progress' | 'completed' | 'failed'
      action?: 'generate' | 'edit'
      revised_prompt?: string
      size?: string
      quality?: string
      background?: string
      output_format?: string
      result: string | null
    }
  | {
      id: string
      type: 'web_search_call'
      status: 'in_progress' | 'completed' | 'failed'
      action: { type: 'search'; query: string; queries: string[]; sources: { type: 'url'; url: string }[] }
    }

export type WrittenUsage = {
  input_tokens: number
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number }
  output_tokens: number
  output_tokens_details: { reasoning_tokens: number }
  total_tokens: number
}

export type WrittenTier = 'default' | 'flex' | 'scale' | 'priority'

export type WrittenConsumption = {
  usage: WrittenUsage
  service_tier?: WrittenTier
  tool_usage?: { image_gen: WrittenImageUsage; web_search: { num_requests: number } }
}

type ImageTokens = { image_tokens: number; text_tokens: number }
export type WrittenImageUsage = {
  input_tokens: number
  input_tokens_details: ImageTokens
  output_tokens: number
  output_tokens_details: ImageTokens
  total_tokens: number
}

/** The part of a Response object that is about the answer; the rest repeats the request. */
export type WrittenAnswer = {
  id: string
  object: 'response'
  created_at: number
  model: string
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  /** The vendor's has no type here, and the AI SDK demands one. */
  error: { type: 'server_error'; code: 'server_error'; message: string } | null
  incomplete_details: { reason: 'max_output_tokens' | 'content_filter' } | null
  output: WrittenItem[]
} & Partial<WrittenConsumption>
