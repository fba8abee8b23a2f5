// The fields of a messages request that have a place in the canonical request.

import {
  byType,
  type TranslatedFields,
  type TranslatedMembers,
  whole,
} from '../../canonical/encoding/untranslated-fields.ts'
import { isSearchName } from '../../canonical/encoding/web-search.ts'

const MARK = { type: true, cache_control: whole('type', 'ttl') } as const
const TEXT = { ...MARK, text: true } as const
const PLAIN_SOURCE = whole('type', 'data', 'media_type', 'url', 'file_id')
const SOURCE: TranslatedMembers = {
  ...PLAIN_SOURCE,
  content: byType({ text: whole('type', 'text'), image: { type: true, source: PLAIN_SOURCE } }),
}

/** What may stand in a message and inside a tool's result alike. */
const SHOWN: Readonly<Record<string, TranslatedMembers>> = {
  text: TEXT,
  image: { ...MARK, source: SOURCE },
  document: { ...MARK, ...whole('title', 'context'), source: SOURCE, citations: whole('enabled') },
  search_result: { ...MARK, ...whole('title', 'source'), content: whole('type', 'text') },
  tool_reference: { ...MARK, tool_name: true },
}
const shown = ({ type }: { readonly type?: unknown }): TranslatedMembers | undefined =>
  typeof type === 'string' ? SHOWN[type] : undefined

const CHANGES: Readonly<Record<string, TranslatedMembers>> = {
  tool_reference: whole('type', 'name'),
  tool_definition: { type: true, definition: tool },
}

const CONTENT = byType({
  ...SHOWN,
  tool_use: { ...MARK, ...whole('id', 'name', 'input') },
  tool_result: { ...MARK, ...whole('tool_use_id', 'is_error'), content: shown },
  thinking: whole('type', 'thinking', 'signature'),
  redacted_thinking: whole('type', 'data'),
  tool_addition: { type: true, tool: byType(CHANGES) },
  tool_removal: { type: true, tool: byType(CHANGES) },
})

/** Whether tools wait for a search is decided for all of them together. */
const OWN_TOOL: TranslatedMembers = {
  ...MARK,
  ...whole('name', 'description', 'input_schema', 'strict', 'defer_loading'),
}
const SEARCH: TranslatedMembers = {
  ...whole('type', 'name', 'allowed_domains', 'blocked_domains', 'max_uses'),
  user_location: whole('type', 'city', 'country', 'region', 'timezone'),
}

function tool({ type }: { readonly [field: string]: unknown }): TranslatedMembers | undefined {
  if (type === undefined || type === null || type === 'custom') return OWN_TOOL
  return typeof type === 'string' && isSearchName(type) ? SEARCH : undefined
}

const FORMAT = byType({ json_schema: whole('type', 'schema') })

export const translated: TranslatedFields = {
  members: {
    ...whole('model', 'max_tokens', 'stream', 'stop_sequences', 'temperature', 'top_p', 'top_k', 'service_tier'),
    cache_control: whole('type', 'ttl'),
    system: TEXT,
    messages: { role: true, content: CONTENT },
    tools: tool,
    tool_choice: whole('type', 'name', 'disable_parallel_tool_use'),
    thinking: whole('type', 'budget_tokens', 'display'),
    output_config: { effort: true, format: FORMAT },
    output_format: FORMAT,
    metadata: whole('user_id', 'session_id', 'tags'),
    session_id: true,
  },
}
