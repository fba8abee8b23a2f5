// The messages protocol's fields as they stand on the wire: only those that the gateway reads or writes.
// What comes from an upstream is optional throughout, since compatible services leave out what they please.

export type WireCacheControl = { type: 'ephemeral'; ttl?: '5m' | '1h' }

/** A file id is only ever sent back to where it came from. */
export type WireFileSource = { type: 'file'; file_id: string }

export type WireImageSource =
  | { type: 'base64'; media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp'; data: string }
  | { type: 'url'; url: string }
  | WireFileSource

export type WireDocumentSource =
  | { type: 'base64'; media_type: 'application/pdf'; data: string }
  | { type: 'text'; media_type: 'text/plain'; data: string }
  | { type: 'url'; url: string }
  | WireFileSource

export type WireTextParam = { type: 'text'; text: string; cache_control?: WireCacheControl }
export type WireImageParam = { type: 'image'; source: WireImageSource; cache_control?: WireCacheControl }
export type WireDocumentParam = {
  type: 'document'
  source: WireDocumentSource
  title?: string
  context?: string
  citations?: { enabled: boolean }
  cache_control?: WireCacheControl
}
export type WireToolUseParam = {
  type: 'tool_use'
  id: string
  name: string
  input: unknown
  cache_control?: WireCacheControl
}
export type WireToolResultParam = {
  type: 'tool_result'
  tool_use_id: string
  is_error?: boolean
  content?: string | (WireTextParam | WireImageParam | WireDocumentParam)[]
  cache_control?: WireCacheControl
}
export type WireThinkingParam = { type: 'thinking'; thinking: string; signature: string }
export type WireRedactedParam = { type: 'redacted_thinking'; data: string }

export type WireBlockParam =
  | WireTextParam
  | WireImageParam
  | WireDocumentParam
  | WireToolUseParam
  | WireToolResultParam
  | WireThinkingParam
  | WireRedactedParam

export type WireMessageParam =
  | { role: 'user' | 'assistant'; content: string | WireBlockParam[] }
  | { role: 'system'; content: string | WireTextParam[] }

export type WireTool = {
  name: string
  description?: string
  input_schema: { type: 'object'; [keyword: string]: unknown }
  strict?: boolean
  cache_control?: WireCacheControl
}

export type WireSearchTool = {
  type: 'web_search_20250305'
  name: 'web_search'
  max_uses?: number
  allowed_domains?: string[]
  blocked_domains?: string[]
  user_location?: { type: 'approximate'; city?: string; region?: string; country?: string; timezone?: string }
}

export type WireToolChoice =
  | { type: 'auto' | 'any'; disable_parallel_tool_use?: boolean }
  | { type: 'none' }
  | { type: 'tool'; name: string; disable_parallel_tool_use?: boolean }

export type WireThinking =
  | { type: 'enabled'; budget_tokens: number; display?: 'summarized' | 'omitted' }
  | { type: 'adaptive'; display?: 'summarized' | 'omitted' }
  | { type: 'disabled' }

export type WireEffort = 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export type WireOutputConfig = {
  effort?: WireEffort
  format?: { type: 'json_schema'; schema: Record<string, unknown> }
}

/** What is written for an upstream. */
export type WireRequest = {
  model: string
  max_tokens: number
  thinking?: WireThinking
  output_config?: WireOutputConfig
  system?: string | WireTextParam[]
  messages: WireMessageParam[]
  tools?: (WireTool | WireSearchTool)[]
  tool_choice?: WireToolChoice
  stop_sequences?: string[]
  metadata?: { user_id: string }
  service_tier?: 'auto' | 'standard_only'
  stream?: boolean
}

/** Only version 2023-06-01 of the protocol has these, and only its older models heed them. */
export type WireSampling = { temperature?: number; top_p?: number; top_k?: number }

/** What is read of an upstream's figures. `input_tokens` leaves out what came from or went into a cache. */
export type WireUsage = {
  input_tokens?: unknown
  output_tokens?: unknown
  cache_creation_input_tokens?: unknown
  cache_read_input_tokens?: unknown
  cache_creation?: { ephemeral_5m_input_tokens?: unknown; ephemeral_1h_input_tokens?: unknown } | null
  output_tokens_details?: { thinking_tokens?: unknown } | null
  server_tool_use?: { web_search_requests?: unknown; web_fetch_requests?: unknown } | null
  /** What each step took; of a summary (`compaction`) the figures above know nothing. */
  iterations?: unknown
  service_tier?: unknown
  speed?: unknown
}

/** What is read of a reply. */
export type WireReply = {
  id?: unknown
  content?: unknown
  stop_reason?: unknown
  stop_sequence?: unknown
  stop_details?: { category?: unknown; explanation?: unknown } | null
  usage?: WireUsage | null
}

/**
 * What is written for a client. The vendor leaves out what it has nothing to say about, where its SDKs' types would
 * have a null: strict clients accept a missing field, and reject the null.
 */
export type WireUsageOut = {
  input_tokens: number
  cache_creation_input_tokens: number
  cache_read_input_tokens: number
  cache_creation?: { ephemeral_5m_input_tokens: number; ephemeral_1h_input_tokens: number }
  output_tokens: number
  output_tokens_details?: { thinking_tokens: number }
  server_tool_use?: { web_search_requests: number; web_fetch_requests: number }
  service_tier?: 'standard' | 'priority' | 'batch'
  speed?: 'fast'
}

export type WireCitationOut =
  | { type: 'web_search_result_location'; url: string; title: string; cited_text: string; encrypted_index: string }
  | {
      type: 'char_location'
      cited_text: string
      document_index: number
      document_title: string
      start_char_index: number
      end_char_index: number
    }

export type WireSearchResultOut = {
  type: 'web_search_result'
  url: string
  title: string
  encrypted_content: string
  page_age: string | null
}

export type WireBlockOut =
  | { type: 'text'; text: string; citations?: WireCitationOut[] }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown; caller: { type: 'direct' } }
  | { type: 'server_tool_use'; id: string; name: 'web_search'; input: unknown; caller: { type: 'direct' } }
  | {
      type: 'web_search_tool_result'
      tool_use_id: string
      content: WireSearchResultOut[] | { type: 'web_search_tool_result_error'; error_code: 'unavailable' }
      caller: { type: 'direct' }
    }

export type WireStopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded'

export type WireMessageOut = {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: WireBlockOut[]
  stop_reason: WireStopReason | null
  stop_sequence: string | null
  stop_details: { type: 'refusal'; category: null; explanation: string | null } | null
  usage: WireUsageOut
}
