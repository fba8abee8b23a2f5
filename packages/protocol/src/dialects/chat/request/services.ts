// What services of this dialect differ in, as far as a request depends on it. The name of the model tells the family;
// the description of the service itself wins.

import { byModel } from '../../../canonical/encoding/by-model.ts'
import type { ChatService } from '../../chat-service.ts'

const USUAL: ChatService = {
  cap: 'max_completion_tokens',
  endUser: 'safety_identifier',
  instructions: 'system',
  reasoning: 'taken',
  effort: 'reasoning_effort',
  customTools: true,
  streamUsage: 'on-request',
  seed: 'seed',
}

/** Services that never took up the newer names: they would ignore the cap, and the answer could cost any sum. */
const OLDER: ChatService = { ...USUAL, cap: 'max_tokens', endUser: 'user', customTools: false }

const KIMI: ChatService = { ...OLDER, cap: 'max_completion_tokens', reasoning: 'demanded', effort: 'thinking-switch' }

const FAMILIES: readonly [name: RegExp, service: ChatService][] = [
  [/^(o\d|gpt-[5-9])/, { ...USUAL, instructions: 'developer', reasoning: 'rejected' }],
  [/^(gpt-\d|chatgpt-)/, { ...USUAL, reasoning: 'rejected' }],
  [/^deepseek/, { ...OLDER, reasoning: 'demanded', effort: 'switch-and-effort' }],
  // It always thinks, as hard as it can unless told otherwise, and does not know the switch of those before it.
  [/^kimi-k3/, { ...KIMI, effort: 'low-high-max' }],
  [/^(kimi|moonshot)/, KIMI],
  [/^glm/, { ...OLDER, effort: 'thinking-switch' }],
  [
    /^(mistral|ministral|magistral|codestral|devstral|pixtral|open-mi)/,
    { ...OLDER, reasoning: 'rejected', callIds: 'nine-alphanumeric' },
  ],
  [/^(qwen|qwq|llama|meta-llama|gemma|gemini|command|phi)/, OLDER],
]

/** By what is known of a service, which is an object of the configuration: both together are put together once. */
const services = new WeakMap<Partial<ChatService>, (model: string) => ChatService>()

const NOTHING: Partial<ChatService> = {}

/** `known`: what is said of the service itself, field by field. */
export function serviceOf(model: string, known: Partial<ChatService> = NOTHING): ChatService {
  let find = services.get(known)
  if (find === undefined) {
    find = byModel((name) => ({ ...guessOf(name), ...known }))
    services.set(known, find)
  }
  return find(model)
}

function guessOf(model: string): ChatService {
  // `vendor/model` is how resellers name them.
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? USUAL
}
