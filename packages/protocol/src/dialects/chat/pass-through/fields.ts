// What the fields of a chat request do to the vendor's price, and what they are called. Closed over the types of the official
// SDK; fields of compatible services are here where they are known to cost something.

import { isObject } from '../../../canonical/reading.ts'
import { knownNames, namesOf } from '../../shared/pass-through/known-names.ts'
import {
  ANSWERED_ELSEWHERE,
  anyOf,
  boundOf,
  bounds,
  boundsIn,
  type FieldTable,
  neutral,
  tier,
  tool,
} from '../../shared/pass-through/priced-fields.ts'

export const REQUEST = {
  ...neutral('messages', 'model', 'stop', 'seed', 'stream', 'stream_options'),
  ...bounds('n', 'max_completion_tokens', 'max_tokens'),
  ...neutral('frequency_penalty', 'presence_penalty', 'temperature', 'top_p', 'logit_bias', 'logprobs', 'top_logprobs'),
  ...neutral('response_format', 'verbosity', 'reasoning_effort', 'metadata', 'user', 'safety_identifier', 'store'),
  ...neutral('functions', 'function_call', 'tools', 'tool_choice', 'parallel_tool_calls'),
  // Checks of what goes in and comes out: free.
  ...neutral('moderation'),
  // What is guessed wrong is told as output.
  ...neutral('prediction'),
  // Written and read tokens are told apart in the usage, and there is one lifetime at each price.
  ...neutral('prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'),
  // `auto` is what the vendor does when nothing is said; the answer tells which tier that was.
  service_tier: tier(['auto', 'default', 'standard']),
  // A client that asks for audio cannot use text. The options of audio cost nothing by themselves.
  modalities: anyOf({ audio: 'audio' }),
  ...neutral('audio'),
  // One search for each answer.
  web_search_options: tool('web_search', { when: isObject, most: () => 1 }),
  // xAI: each source that is used is billed.
  search_parameters: tool('web_search', {
    when: (value) => isObject(value) && value.mode !== 'off',
    most: (value) => (isObject(value) ? boundOf(value.max_search_results) : undefined),
  }),
  // Qwen.
  enable_search: tool('web_search', { when: (value) => value === true }),
  ...ANSWERED_ELSEWHERE,
} satisfies FieldTable

/** By type. */
export const TOOLS = {
  ...neutral('function', 'custom'),
  // Zhipu and others; Moonshot's built-in functions.
  web_search: tool('web_search'),
  builtin_function: tool('web_search'),
} satisfies FieldTable

/** Fields of compatible services that the gateway reads; their tokens are in the usage. */
export const OTHER_SERVICES = neutral('top_k', 'reasoning', 'thinking') satisfies FieldTable

/** Members of tools, of whichever type. */
export const TOOL_MEMBERS = neutral('type', 'function', 'custom') satisfies FieldTable

/** Members of a tool's `function`. */
export const FUNCTION_MEMBERS = neutral('name', 'description', 'parameters', 'strict') satisfies FieldTable

/** Members of the objects inside a request that belong to something priced. */
export const MEMBERS = {
  // Where and how much is searched does not change what a search costs.
  web_search_options: neutral('search_context_size', 'user_location'),
  audio: neutral('format', 'voice'),
  stream_options: neutral('include_obfuscation', 'include_usage'),
  prompt_cache_options: neutral('mode', 'ttl'),
} satisfies Record<string, FieldTable>

/** The names that a request can have, in the places where no other spelling of them may stand. */
export const NAMES = knownNames(
  namesOf(REQUEST, OTHER_SERVICES),
  {
    stream_options: { own: namesOf(MEMBERS.stream_options) },
    tools: { own: namesOf(TOOL_MEMBERS), within: new Map([['function', namesOf(FUNCTION_MEMBERS)]]) },
  },
  // The names in messages and in whatever is in them, at every depth: see scanned-request.ts.
  { messages: -1 << 2, tools: (1 << 2) | (1 << 3) },
)

/** What the dialect itself means by them is read with the request. */
export const BOUNDS = namesOf(boundsIn(REQUEST)).exact
