// What the fields of a responses request do to the vendor's price, and what they are called. Closed over the types of the
// official SDK; tools of compatible services are here where they are known to cost something.

import { isObject, type Json } from '../../../canonical/reading.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import {
  ANSWERED_ELSEWHERE,
  bounds,
  boundsIn,
  containerWord,
  type Effect,
  type FieldTable,
  neutral,
  other,
  tier,
  tool,
} from '../../shared/pass-through/priced-fields.ts'

export const REQUEST = {
  ...neutral('model', 'input', 'instructions', 'stream', 'stream_options', 'include', 'truncation'),
  ...bounds('max_output_tokens'),
  ...neutral('temperature', 'top_p', 'top_logprobs', 'reasoning', 'text', 'metadata', 'user', 'safety_identifier'),
  ...neutral('tools', 'tool_choice', 'parallel_tool_calls', 'max_tool_calls', 'store'),
  // Ids of objects that the vendor stores: rejected elsewhere.
  ...neutral('previous_response_id', 'conversation', 'prompt'),
  // Its tokens are in the usage.
  ...neutral('context_management'),
  ...neutral('moderation'),
  ...neutral('prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'),
  // `auto` is what the vendor does when nothing is said; the answer tells which tier that was.
  service_tier: tier(['auto', 'default', 'standard']),
  // The gateway runs background responses itself: an upstream would report the usage only to a later request with the id.
  background: other('background', { forced: true }),
  ...ANSWERED_ELSEWHERE,
} satisfies FieldTable

/** By type. Searches have names with a version too. */
export const TOOLS = {
  ...neutral(
    'function',
    'custom',
    'namespace',
    'tool_search',
    'apply_patch',
    'local_shell',
    'programmatic_tool_calling',
  ),
  // Run by the caller, or by a server of the caller's: tokens only.
  ...neutral('computer', 'computer_use_preview', 'mcp'),
  web_search: tool('web_search'),
  file_search: tool('file_search'),
  code_interpreter: inContainer('code_interpreter', (tool) => tool.container),
  code_execution: tool('code_interpreter'),
  image_generation: tool('image_generation'),
  // A shell on the caller's own machine costs nothing.
  shell: inContainer('container', ({ environment }) => environment, isHosted),
  x_search: tool('x_search'),
  collections_search: tool('file_search'),
} satisfies FieldTable

/** A tool that needs a container, which costs more the larger it is. */
function inContainer(word: string, place: (tool: Json) => unknown, isBilled = (_: unknown) => true): Effect {
  const words = (value: unknown): string[] => {
    const where = isObject(value) ? place(value) : undefined
    return isBilled(where) ? [containerWord(where, word)] : []
  }
  return { kind: 'tool', words, isForced: false, most: () => undefined }
}

function isHosted(environment: unknown): boolean {
  return isObject(environment) && (environment.type === 'container_auto' || environment.type === 'container_reference')
}

/** Members of tools of any type. The price of a tool covers its most expensive options. */
export const TOOL_MEMBERS = {
  ...neutral('type', 'name', 'description', 'parameters', 'strict', 'output_schema', 'format', 'tools', 'execution'),
  ...neutral('allowed_callers', 'defer_loading'),
  // Members of searches.
  ...neutral('filters', 'search_context_size', 'search_content_types', 'user_location'),
  ...neutral('vector_store_ids', 'max_num_results', 'ranking_options'),
  ...neutral('display_height', 'display_width'),
  // Members of other servers' tools.
  ...neutral(
    'server_label',
    'server_url',
    'server_description',
    'connector_id',
    'tunnel_id',
    'authorization',
    'headers',
  ),
  ...neutral('allowed_tools', 'require_approval'),
  // Members of containers: see MEMBERS.
  ...neutral('container', 'environment'),
  // Members of images, which the row of `image_generation` prices by the call.
  ...neutral('action', 'background', 'input_fidelity', 'input_image_mask', 'model', 'moderation', 'output_compression'),
  ...neutral('output_format', 'partial_images', 'quality', 'size'),
} satisfies FieldTable

/** Members of the objects inside a request that belong to something priced. */
export const MEMBERS = {
  container: {
    ...neutral('type', 'file_ids', 'network_policy', 'skills', 'container_id'),
    memory_limit: other('container_memory', { when: (limit) => limit !== null && limit !== '1g' }),
  },
  prompt_cache_options: neutral('mode', 'ttl'),
  stream_options: neutral('include_obfuscation'),
} satisfies Record<string, FieldTable>

/** The names that a request can have, in the places where no other spelling of them may stand. */
export const NAMES = knownNames(namesOf(REQUEST), {
  stream_options: { own: namesOf(MEMBERS.stream_options) },
  tools: { own: namesOf(TOOL_MEMBERS) },
})

/** What the dialect itself means by them is read with the request. */
export const BOUNDS = namesOf(boundsIn(REQUEST)).exact
