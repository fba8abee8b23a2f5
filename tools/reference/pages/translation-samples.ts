// A sample of each request field, by protocol. Fields that the tables of the dialects have and that are missing here fail the test of the
// generated pages.

import { REQUEST as CHAT } from '@trivium/protocol/dialects/chat/pass-through/fields.ts'
import { CONFIG, REQUEST as GOOGLE } from '@trivium/protocol/dialects/generate-content/pass-through/fields.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { REQUEST as MESSAGES } from '@trivium/protocol/dialects/messages/pass-through/fields.ts'
import { REQUEST as RESPONSES } from '@trivium/protocol/dialects/responses/pass-through/fields.ts'

/** `base`: the same request without the field. */
export type Sample = { field: string; base: object; body: object }
type Values = Readonly<Record<string, unknown>>

const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
const CHAT_TOOL = { type: 'function', function: { name: 'f', parameters: SCHEMA } }
const RESPONSES_TOOL = { type: 'function', name: 'f', parameters: SCHEMA, strict: false }
const MESSAGES_TOOL = { name: 'f', input_schema: SCHEMA }
const GOOGLE_TOOL = { functionDeclarations: [{ name: 'f', parametersJsonSchema: SCHEMA }] }

/** What a request cannot do without, and what decides how it is answered rather than what. */
const ALWAYS = ['model', 'messages', 'input', 'contents', 'stream', 'stream_options', 'generationConfig']

/** Needed by the field, and sent without it, too. */
const BESIDE: Readonly<Record<string, Values>> = {
  tool_choice: {
    chat: { tools: [CHAT_TOOL] },
    responses: { tools: [RESPONSES_TOOL] },
    messages: { tools: [MESSAGES_TOOL] },
  },
  parallel_tool_calls: { chat: { tools: [CHAT_TOOL] }, responses: { tools: [RESPONSES_TOOL] } },
  max_tool_calls: { responses: { tools: [RESPONSES_TOOL] } },
  function_call: { chat: { functions: [{ name: 'f', parameters: SCHEMA }] } },
  toolConfig: { 'generate-content': { tools: [GOOGLE_TOOL] } },
  top_logprobs: { chat: { logprobs: true } },
}

const JSON_OUTPUT = { responseMimeType: 'application/json' }
const CONFIG_BESIDE: Values = {
  responseSchema: JSON_OUTPUT,
  responseJsonSchema: JSON_OUTPUT,
  logprobs: { responseLogprobs: true },
}

const SAMPLES: Readonly<Record<TextDialectId, { base: Values; fields: Values; config?: Values }>> = {
  chat: {
    base: { model: 'my-text', messages: [{ role: 'user', content: 'Hello' }] },
    fields: {
      n: 2,
      max_completion_tokens: 100,
      max_tokens: 100,
      stop: ['END'],
      seed: 7,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      frequency_penalty: 0.5,
      presence_penalty: 0.5,
      logit_bias: { '50256': -100 },
      logprobs: true,
      top_logprobs: 3,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: SCHEMA, strict: true } },
      verbosity: 'low',
      reasoning_effort: 'high',
      metadata: { a: 'b' },
      user: 'ada',
      safety_identifier: 'ada',
      tools: [CHAT_TOOL],
      tool_choice: 'required',
      parallel_tool_calls: false,
      functions: [{ name: 'f', parameters: SCHEMA }],
      function_call: 'auto',
      moderation: { model: 'm' },
      prediction: { type: 'content', content: 'a' },
      prompt_cache_key: 'a',
      prompt_cache_options: { mode: 'a' },
      prompt_cache_retention: '24h',
      service_tier: 'priority',
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
      web_search_options: {},
    },
  },
  responses: {
    base: { model: 'my-text', input: 'Hello' },
    fields: {
      instructions: 'Be brief.',
      max_output_tokens: 100,
      include: ['reasoning.encrypted_content'],
      truncation: 'auto',
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 3,
      reasoning: { effort: 'high' },
      text: { format: { type: 'json_schema', name: 'a', schema: SCHEMA, strict: true } },
      metadata: { a: 'b' },
      user: 'ada',
      safety_identifier: 'ada',
      tools: [RESPONSES_TOOL],
      tool_choice: 'required',
      parallel_tool_calls: false,
      max_tool_calls: 3,
      context_management: [{ type: 'compaction', compact_threshold: 1000 }],
      moderation: { model: 'm' },
      prompt_cache_key: 'a',
      prompt_cache_options: { mode: 'a' },
      prompt_cache_retention: '24h',
      service_tier: 'priority',
    },
  },
  messages: {
    base: { model: 'my-text', max_tokens: 2000, messages: [{ role: 'user', content: 'Hello' }] },
    fields: {
      max_tokens: 100,
      system: 'Be brief.',
      stop_sequences: ['END'],
      metadata: { user_id: 'ada' },
      diagnostics: {},
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      output_config: { effort: 'high' },
      output_format: { type: 'json_schema', schema: SCHEMA },
      tools: [MESSAGES_TOOL],
      tool_choice: { type: 'any' },
      cache_control: { type: 'ephemeral' },
      mcp_servers: [{ type: 'url', url: 'https://mcp.example.com', name: 'a' }],
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      compaction: {},
      service_tier: 'auto',
    },
  },
  'generate-content': {
    base: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    fields: {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
      tools: [GOOGLE_TOOL],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      labels: { a: 'b' },
      serviceTier: 'priority',
    },
    config: {
      temperature: 0.5,
      topP: 0.9,
      topK: 5,
      candidateCount: 2,
      maxOutputTokens: 100,
      stopSequences: ['END'],
      seed: 7,
      presencePenalty: 0.5,
      frequencyPenalty: 0.5,
      responseLogprobs: true,
      logprobs: 3,
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } } },
      responseJsonSchema: SCHEMA,
      thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
      mediaResolution: 'MEDIA_RESOLUTION_LOW',
      audioTimestamp: true,
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    },
  },
}

/**
 * Fields that need a price (docs/reference/billing.md lists them), that name what a vendor stores, that the gateway handles itself, or
 * that are for media.
 */
const ELSEWHERE = new Set(
  `store container thread prompt conversation cachedContent outputConfig continuationToken search_parameters enable_search plugins models provider background previous_response_id betas user_profile_id workspace_id speed
  inference_geo fallbacks fallback_credit_token modelArmorConfig routingConfig modelConfig responseModalities responseFormat
  enableEnhancedCivicAnswers imageConfig audioTranscriptionConfig translationConfig enableAffectiveDialog`.split(/\s+/),
)
const TABLES: Readonly<Record<TextDialectId, object>> = {
  chat: CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
  'generate-content': GOOGLE,
}

function samplesOf(id: TextDialectId): Sample[] {
  const { base, fields, config = {} } = SAMPLES[id]
  const known = [...Object.keys(TABLES[id]), ...(id === 'generate-content' ? Object.keys(CONFIG) : [])]
  const missing = known.filter(
    (name) => ![fields, config].some((all) => name in all) && !ALWAYS.includes(name) && !ELSEWHERE.has(name),
  )
  if (missing.length > 0) throw new Error(`no samples of ${id} fields: ${missing.join(', ')}`)
  return [
    ...Object.entries(fields).map(([field, value]) => {
      const beside = { ...base, ...(BESIDE[field]?.[id] as object | undefined) }
      return { field, base: beside, body: { ...beside, [field]: value } }
    }),
    ...Object.entries(config).map(([name, value]) => {
      const beside = { ...(CONFIG_BESIDE[name] as object | undefined) }
      return {
        field: `generationConfig.${name}`,
        base: { ...base, generationConfig: beside },
        body: { ...base, generationConfig: { ...beside, [name]: value } },
      }
    }),
  ]
}

export const REQUESTS: Readonly<Record<TextDialectId, readonly Sample[]>> = {
  chat: samplesOf('chat'),
  responses: samplesOf('responses'),
  messages: samplesOf('messages'),
  'generate-content': samplesOf('generate-content'),
}
