// What services of this dialect differ in, as far as a request depends on it. The name of the model tells the family;
// who knows the service itself knows better, and says so.

import type { ChatService } from '../../chat-service.ts'

const USUAL: ChatService = {
  cap: 'max_completion_tokens',
  endUser: 'safety_identifier',
  instructions: 'system',
  reasoning: 'taken',
  effort: 'word',
  customTools: true,
  streamUsage: 'asked for',
  seed: 'seed',
}

/** Services that never took up the newer names: they would ignore the cap, and the answer could cost any sum. */
const OLDER: ChatService = { ...USUAL, cap: 'max_tokens', endUser: 'user', customTools: false }

const FAMILIES: readonly [name: RegExp, service: ChatService][] = [
  [/^(o\d|gpt-[5-9])/, { ...USUAL, instructions: 'developer', reasoning: 'refused' }],
  [/^(gpt-\d|chatgpt-)/, { ...USUAL, reasoning: 'refused' }],
  [/^deepseek/, { ...OLDER, reasoning: 'demanded', effort: 'switch and word' }],
  [/^(kimi|moonshot)/, { ...OLDER, cap: 'max_completion_tokens', reasoning: 'demanded', effort: 'switch' }],
  [/^glm/, { ...OLDER, effort: 'switch' }],
  [
    /^(mistral|ministral|magistral|codestral|devstral|pixtral|open-mi)/,
    { ...OLDER, reasoning: 'refused', callIds: 'nine letters and digits' },
  ],
  [/^(qwen|qwq|llama|meta-llama|gemma|gemini|command|phi)/, OLDER],
]

/** What was found out before, by what is known of a service (an object of the configuration), and then by the model. */
const found = new WeakMap<Partial<ChatService>, Map<string, ChatService>>()
/** The names are an operator's, or those of requests that pass: bounded all the same. */
const MOST_MODELS = 1_000

const NOTHING: Partial<ChatService> = {}

/** `known`: what is said of the service itself, field by field. */
export function serviceOf(model: string, known: Partial<ChatService> = NOTHING): ChatService {
  let services = found.get(known)
  if (services === undefined || services.size >= MOST_MODELS) {
    services = new Map()
    found.set(known, services)
  }
  let service = services.get(model)
  if (service === undefined) {
    service = { ...guessOf(model), ...known }
    services.set(model, service)
  }
  return service
}

function guessOf(model: string): ChatService {
  // `vendor/model` is how resellers name them.
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? USUAL
}
