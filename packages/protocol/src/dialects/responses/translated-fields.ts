// The fields of a responses request that have a place in the canonical request, or that the gateway handles itself: ids, what is
// stored, and the state of items that were in a response before.

import {
  byType,
  type Translated,
  type TranslatedFields,
  type TranslatedMembers,
  whole,
} from '../../canonical/encoding/untranslated-fields.ts'
import { isSearchName } from '../../canonical/encoding/web-search.ts'

const PART = whole('type', 'prompt_cache_breakpoint')
const TEXT = { ...PART, text: true } as const
const CONTENT = byType({
  input_text: TEXT,
  output_text: TEXT,
  text: TEXT,
  summary_text: TEXT,
  refusal: whole('type', 'refusal'),
  input_image: { ...PART, ...whole('image_url', 'file_id', 'detail') },
  input_file: { ...PART, ...whole('file_data', 'file_url', 'file_id', 'filename') },
  input_audio: { ...whole('type', 'data', 'format'), input_audio: whole('data', 'format') },
})

const ITEM = whole('type', 'id', 'status')
const CALL = { ...ITEM, ...whole('call_id', 'name', 'namespace') }
const OUTPUT = { ...ITEM, call_id: true, output: CONTENT } as const
const REASONING = whole('type', 'text')
const ITEMS = byType(
  {
    message: { ...ITEM, role: true, content: CONTENT },
    function_call: { ...CALL, arguments: true },
    custom_tool_call: { ...CALL, input: true },
    function_call_output: OUTPUT,
    custom_tool_call_output: OUTPUT,
    reasoning: { ...ITEM, encrypted_content: true, summary: REASONING, content: REASONING },
    additional_tools: { ...ITEM, role: true, tools: tool },
    configuration_update: {
      ...ITEM,
      reasoning: whole('effort', 'summary', 'generate_summary'),
      text: () => TEXT_SETTINGS,
    },
  },
  'message',
)

const DESCRIBED = whole('type', 'name', 'description')
const PLACE = whole('type', 'city', 'country', 'region', 'timezone')
const TOOLS: Readonly<Record<string, TranslatedMembers>> = {
  function: { ...DESCRIBED, ...whole('parameters', 'strict') },
  custom: { ...DESCRIBED, format: whole('type', 'syntax', 'definition') },
  namespace: { ...DESCRIBED, tools: tool },
}
const SEARCH: TranslatedMembers = {
  ...whole('type', 'search_context_size'),
  filters: whole('allowed_domains', 'blocked_domains'),
  user_location: PLACE,
}

function tool({ type }: { readonly [field: string]: unknown }): TranslatedMembers | undefined {
  if (typeof type !== 'string') return undefined
  return isSearchName(type) ? SEARCH : TOOLS[type]
}

const CHOSEN = whole('type', 'name', 'namespace')
const FORMAT: Translated = byType({
  text: whole('type'),
  json_object: whole('type'),
  json_schema: { ...DESCRIBED, ...whole('schema', 'strict') },
})
const TEXT_SETTINGS: TranslatedMembers = { verbosity: true, format: FORMAT }

export const translated: TranslatedFields = {
  members: {
    ...whole(
      'model',
      'instructions',
      'stream',
      'store',
      'metadata',
      'session_id',
      'include',
      'previous_response_id',
      'conversation',
    ),
    ...whole('prompt', 'background', 'max_output_tokens', 'temperature', 'top_p', 'top_logprobs', 'service_tier'),
    ...whole('parallel_tool_calls', 'max_tool_calls', 'user', 'safety_identifier', 'truncation', 'prompt_cache_key'),
    prompt_cache_retention: true,
    prompt_cache_options: whole('mode', 'ttl'),
    // How a stream is disguised is of no account where it is written anew.
    stream_options: whole('include_obfuscation'),
    input: ITEMS,
    reasoning: whole('effort', 'summary', 'generate_summary'),
    text: TEXT_SETTINGS,
    tools: tool,
    tool_choice: byType({
      function: CHOSEN,
      custom: CHOSEN,
      allowed_tools: { ...whole('type', 'mode'), tools: byType({ function: CHOSEN, custom: CHOSEN }) },
    }),
  },
}
