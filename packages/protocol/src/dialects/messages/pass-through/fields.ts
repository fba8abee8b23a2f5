// What the fields of a messages request do to the vendor's price, and what they are called. Closed over the types of the
// official SDK, beta too.

import { isObject } from '../../../canonical/reading.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import {
  ANSWERED_ELSEWHERE,
  boundOf,
  bounds,
  boundsIn,
  type FieldTable,
  neutral,
  other,
  tier,
  tool,
} from '../../shared/pass-through/priced-fields.ts'

export const REQUEST = {
  ...neutral('model', 'messages', 'system', 'stream', 'stop_sequences', 'metadata', 'diagnostics'),
  ...bounds('max_tokens'),
  ...neutral('temperature', 'top_p', 'top_k', 'thinking', 'output_config', 'output_format', 'tools', 'tool_choice'),
  // Tokens by the lifetime of the cache are told apart in the usage.
  ...neutral('cache_control'),
  // Only of use to tools that need a price themselves; its ids are rejected elsewhere.
  ...neutral('container'),
  // Tools of the caller's own servers: tokens only.
  ...neutral('mcp_servers'),
  // The tokens of a summary are told beside the others, and counted with them.
  ...neutral('context_management', 'compaction'),
  // Conversations that the vendor stores: rejected elsewhere.
  ...neutral('thread'),
  // Headers in the SDK's types; the journey has its own list of these.
  ...neutral('betas', 'user_profile_id', 'workspace_id'),
  // `auto` is what the vendor does when nothing is said: capacity that was paid for before, else the standard.
  service_tier: tier(['auto', 'standard_only', 'standard', 'default']),
  // Sold like a tier.
  speed: tier(['standard']),
  // Where an answer is computed may be a matter of law: not ours to leave out.
  inference_geo: other('inference_geo', { forced: true, when: (place) => !isUsualPlace(place) }),
  // Makes a second attempt cheaper if the client made the first one.
  fallback_credit_token: other('fallback_credit'),
  ...ANSWERED_ELSEWHERE,
} satisfies FieldTable

function isUsualPlace(place: unknown): boolean {
  return typeof place !== 'string' || ['', 'global', 'not_available'].includes(place.toLowerCase())
}

const bounded = {
  most: (value: unknown): number | undefined => (isObject(value) ? boundOf(value.max_uses) : undefined),
}

/** By the type without its date. */
export const TOOLS = {
  ...neutral(
    'custom',
    'bash',
    'text_editor',
    'memory',
    'computer',
    'browser_toolset',
    'tool_search_tool',
    'mcp_toolset',
  ),
  // Costs the tokens that it brings.
  ...neutral('web_fetch'),
  web_search: tool('web_search', bounded),
  code_execution: tool('code_interpreter'),
  // Another model's tokens, at that model's price.
  advisor: other('advisor', bounded),
} satisfies FieldTable

/** Members of tools, of whichever type. */
export const TOOL_MEMBERS = {
  ...neutral('type', 'name', 'description', 'input_schema', 'input_examples', 'strict', 'eager_input_streaming'),
  ...neutral('allowed_callers', 'defer_loading', 'cache_control', 'max_characters', 'configs', 'default_config'),
  ...neutral('display_height_px', 'display_width_px', 'display_number', 'enable_zoom', 'mcp_server_name', 'tools'),
  ...neutral('allowed_domains', 'blocked_domains', 'user_location', 'citations', 'max_content_tokens', 'url_sources'),
  ...neutral('use_cache', 'response_inclusion'),
  // A bound, not a price.
  ...neutral('max_uses'),
  // Members of the advisor, which has no price here whatever it is.
  ...neutral('model', 'caching', 'max_tokens'),
} satisfies FieldTable

/** Members of the objects inside a request that belong to something priced. */
export const MEMBERS = {
  cache_control: neutral('type', 'ttl'),
  container: neutral('id', 'skills'),
  metadata: neutral('user_id'),
  output_config: neutral('effort', 'format', 'task_budget'),
} satisfies Record<string, FieldTable>

/** The names that a request can have, in the places where no other spelling of them may stand. */
export const NAMES = knownNames(namesOf(REQUEST), {
  metadata: { own: namesOf(MEMBERS.metadata) },
  tools: { own: namesOf(TOOL_MEMBERS) },
})

/** What the dialect itself means by them is read with the request. */
export const BOUNDS = namesOf(boundsIn(REQUEST)).exact
