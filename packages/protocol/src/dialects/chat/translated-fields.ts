// The fields of a chat request that have a place in the canonical request: those of the vendor, and those that services of the
// dialect and their clients have added.

import {
  byType,
  type TranslatedFields,
  type TranslatedMembers,
  whole,
} from '../../canonical/encoding/untranslated-fields.ts'
import { isSearchName } from '../../canonical/encoding/web-search.ts'

const MARKS = { ...whole('type', 'prompt_cache_breakpoint'), cache_control: whole('type', 'ttl') }
const CONTENT = byType({
  text: { ...MARKS, text: true },
  refusal: whole('type', 'refusal'),
  image_url: { ...MARKS, image_url: whole('url', 'detail') },
  video_url: { ...MARKS, video_url: whole('url') },
  input_audio: { ...MARKS, input_audio: whole('data', 'format') },
  file: { ...MARKS, file: whole('file_data', 'file_id', 'filename') },
  thinking: whole('type', 'thinking'),
})

/** `index` is in calls that clients have put together from a stream. */
const CALL = { ...whole('id', 'type', 'index'), extra_content: { google: whole('thought_signature') } }
const CALLS = byType(
  { function: { ...CALL, function: whole('name', 'arguments') }, custom: { ...CALL, custom: whole('name', 'input') } },
  'function',
)
const SPOKEN = { role: true, content: CONTENT } as const
const MESSAGES: Readonly<Record<string, TranslatedMembers>> = {
  system: SPOKEN,
  developer: SPOKEN,
  user: { ...SPOKEN, name: true },
  assistant: {
    ...SPOKEN,
    ...whole('name', 'refusal', 'reasoning_content', 'reasoning', 'reasoning_details'),
    tool_calls: CALLS,
    function_call: whole('name', 'arguments'),
  },
  tool: { ...SPOKEN, ...whole('tool_call_id', 'name') },
  function: { ...SPOKEN, name: true },
}

const FUNCTION = whole('name', 'description', 'parameters', 'strict')
const CUSTOM = {
  ...whole('name', 'description'),
  format: { ...whole('type', 'syntax', 'definition'), grammar: whole('syntax', 'definition') },
}
const CHOSEN = {
  function: { type: true, function: whole('name') },
  custom: { type: true, custom: whole('name') },
} as const
const FORMATS = {
  text: whole('type'),
  json_object: whole('type'),
  json_schema: { type: true, json_schema: whole('name', 'description', 'schema', 'strict') },
} as const

export const translated: TranslatedFields = {
  members: {
    ...whole('model', 'stream', 'temperature', 'top_p', 'top_k', 'max_tokens', 'max_completion_tokens', 'n', 'stop'),
    ...whole('parallel_tool_calls', 'reasoning_effort', 'include_reasoning', 'verbosity', 'presence_penalty', 'seed'),
    ...whole('frequency_penalty', 'logit_bias', 'logprobs', 'top_logprobs', 'metadata', 'user', 'safety_identifier'),
    ...whole('prompt_cache_key', 'prompt_cache_retention', 'service_tier', 'store', 'modalities', 'session_id'),
    messages: ({ role }) => (typeof role === 'string' ? MESSAGES[role] : undefined),
    // How a stream is disguised is of no account where it is written anew.
    stream_options: whole('include_usage', 'include_obfuscation'),
    prompt_cache_options: whole('mode', 'ttl'),
    tools: (tool) =>
      typeof tool.type === 'string' && isSearchName(tool.type)
        ? whole('type')
        : TOOLS[typeof tool.type === 'string' ? tool.type : 'function'],
    functions: FUNCTION,
    tool_choice: byType(
      { ...CHOSEN, allowed_tools: { type: true, allowed_tools: { mode: true, tools: byType(CHOSEN, 'function') } } },
      'function',
    ),
    function_call: whole('name'),
    response_format: byType(FORMATS),
    reasoning: whole('effort', 'max_tokens', 'enabled', 'exclude', 'summary'),
    thinking: whole('type', 'budget_tokens'),
    web_search_options: {
      search_context_size: true,
      user_location: { type: true, approximate: whole('city', 'country', 'region', 'timezone') },
    },
  },
}

const TOOLS: Readonly<Record<string, TranslatedMembers>> = {
  function: { ...MARKS, function: FUNCTION },
  custom: { ...MARKS, custom: CUSTOM },
}
