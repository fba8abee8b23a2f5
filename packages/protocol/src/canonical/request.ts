// A text request in canonical terms: what the four text dialects can say, each word once. A dialect reads its wire form
// into this and writes this into its wire form; no dialect knows another.

import type { Json } from './reading.ts'

export type JsonSchema = { readonly [keyword: string]: unknown }

/** A place up to which the caller wants the prompt kept in a cache. No lifetime: the vendor's usual one. */
export type CacheMark = {
  ttl?: '5m' | '30m' | '1h'
  /** In the words of OpenAI: `prompt_cache_breakpoint`. Otherwise in those of Anthropic: `cache_control`. */
  isBreakpoint?: true
}

export type Source =
  /** Standard base64, never the URL-safe alphabet. */
  | { kind: 'inline'; mime: string; data: string }
  /** A document that is plain text. */
  | { kind: 'text'; mime: string; text: string }
  | { kind: 'url'; url: string; mime?: string }
  /** Something that a vendor keeps for its customer, known by an id. */
  | { kind: 'object'; id: string }

export type TextPart = {
  type: 'text'
  text: string
  citations?: readonly Citation[]
  cache?: CacheMark
  /** What a vendor wants back with the very same part; as the client sent it. */
  signature?: string
}

export type MediaPart = {
  type: 'media'
  media: 'image' | 'audio' | 'video' | 'document'
  source: Source
  /** How closely the model should look: `low`, `medium`, `high`, `auto`, `original`. */
  detail?: string
  /** File name or title. */
  name?: string
  /** What the caller says about a document, for the model to know. */
  context?: string
  /** The caller wants citations from this document. */
  cite?: boolean
  cache?: CacheMark
  signature?: string
  /** Where it stands in the caller's request, for an error that names it: `messages[2].content[0]`. */
  at?: string
}

export type CallPart = {
  type: 'call'
  id: string
  /** The caller's id, where another call before it has the same. */
  givenId?: string
  name: string
  /** The text as the model wrote it: JSON for a function, though not always valid; anything for a custom tool. */
  arguments: string
  custom: boolean
  signature?: string
  cache?: CacheMark
}

export type ResultPart = {
  type: 'result'
  callId: string
  /** The function's name, where the dialect says it here. */
  name?: string
  parts: readonly (TextPart | MediaPart)[]
  isError?: true
  cache?: CacheMark
  at?: string
}

export type ReasoningPart = {
  type: 'reasoning'
  text: string
  /** A summary that a model made of its reasoning, or the reasoning as it was. */
  style: 'summary' | 'full'
  signature?: string
  /** The text as the gateway sealed it, for clients that carry no text: instead of `text`, where that is empty. */
  sealedText?: string
}

/** Reasoning that only its vendor can read. */
export type RedactedPart = { type: 'redacted'; data: string }

/** Something that only the caller's own dialect can say, such as a call of a hosted tool in the history. */
export type ForeignPart = {
  type: 'foreign'
  what: string
  at: string
  /** Without it the conversation would mean something else: it may not be dropped. */
  isEssential?: true
  /** As the client sent it, where its dialect has yet to read it. */
  block?: Json
  /** What a hosted tool made, where that is an image. */
  image?: MediaPart
}

export type RefusalPart = { type: 'refusal'; text: string }

export type Part =
  | TextPart
  | MediaPart
  | CallPart
  | ResultPart
  | ReasoningPart
  | RedactedPart
  | RefusalPart
  | ForeignPart

/** `system`: instructions in the middle of a conversation; those at its beginning are `instructions` of the request. */
export type Turn = { role: 'user' | 'assistant' | 'system'; parts: readonly Part[]; name?: string }

export type InstructionText = { text: string; cache?: CacheMark }

export type Tool = {
  /** As the model is to call it, unless the target has a stricter rule for names. */
  name: string
  description?: string
  schema?: JsonSchema
  strict?: boolean
  /** Takes free text instead of JSON; `grammar`: what the text must fit. */
  custom?: { grammar?: { syntax: string; definition: string } }
  cache?: CacheMark
  /** The group that the caller keeps it in; `name` is then `namespace__name`. */
  namespace?: { namespace: string; name: string }
}

/** A tool that a vendor runs. No other dialect can express it, unless it is a web search. */
export type HostedTool = { name: string; at: string; search?: SearchOptions }

/** A web search that the upstream is to make. What is absent is left to the vendor. */
export type SearchOptions = {
  contextSize?: 'low' | 'medium' | 'high'
  /** Where the user is, approximately. */
  location?: { city?: string; region?: string; country?: string; timezone?: string }
  allowedDomains?: readonly string[]
  blockedDomains?: readonly string[]
  maxUses?: number
}

/** A page that a search found. `age`: how old it is, in the vendor's words. */
export type SearchResult = { url: string; title?: string; age?: string }

export type ToolChoice =
  | { mode: 'auto' | 'none' | 'required' }
  | { mode: 'tool'; name: string }
  /** `search`: a web search is among those that are allowed. */
  | { mode: 'allowed'; required: boolean; names: readonly string[]; search?: true }
  | { mode: 'hosted'; name: string }

export type OutputFormat =
  | { type: 'text' }
  | { type: 'json' }
  | { type: 'schema'; schema: JsonSchema; name?: string; description?: string; strict?: boolean }

export type Effort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

export type ReasoningWish = {
  /** `auto`: the model decides. Absent: nothing was said. */
  mode?: 'off' | 'on' | 'auto'
  effort?: Effort
  /** Tokens. */
  budget?: number
  /** What of the reasoning the caller wants to see; absent: nothing was said. */
  show?: 'none' | 'summary' | 'full'
  /** The caller asks for a summary in so many words. Services without one show the reasoning itself, or nothing. */
  wantsSummary?: true
  /** The caller carries reasoning in an encrypted form, and sends nothing else back. */
  wantsEncrypted?: true
}

export type Sampling = {
  temperature?: number
  topP?: number
  topK?: number
  presencePenalty?: number
  frequencyPenalty?: number
  seed?: number
  /** Answers wanted; absent is one. */
  choices?: number
  stop?: readonly string[]
  maxOutput?: number
  /** Log probabilities of the chosen tokens, and of so many others. */
  logprobs?: { top?: number }
  logitBias?: Readonly<Record<string, number>>
}

export type ServiceTier = 'auto' | 'default' | 'flex' | 'priority'

/** Conventions of the dialect that a request was written in, for the encoders of other dialects. One constant per dialect. */
export type RequestOrigin = {
  dialect: string
  /** The client's names for fields that may be unsupported elsewhere; undefined: the dialect has no such field. */
  fields: { choices: string | undefined; modalities: string | undefined; toolChoice: string }
  /**
   * Clients choose by `strict` whether output must fit a schema, and write schemas with an object at the root. False: output
   * always fits, and the root may be anything.
   */
  hasStrictSwitch: boolean
  /** JSON mode is rejected unless the prompt mentions JSON, so clients mention it. */
  mentionsJson: boolean
  /** Clients that turn reasoning on expect to be shown it. */
  showsReasoning: boolean
}

export type CanonicalRequest = {
  from: RequestOrigin
  model: string
  stream: boolean
  /** The caller of a chat stream asked for the usage chunk; always true in dialects that have no such question. */
  showUsage: boolean
  instructions: readonly InstructionText[]
  turns: readonly Turn[]
  tools: readonly Tool[]
  hostedTools: readonly HostedTool[]
  toolChoice?: ToolChoice
  /** False: one call at a time. */
  parallelCalls?: boolean
  format: OutputFormat
  verbosity?: 'low' | 'medium' | 'high'
  /** Kinds of output other than text that are asked for. */
  modalities: readonly ('image' | 'audio' | 'video')[]
  sampling: Sampling
  reasoning: ReasoningWish
  cacheKey?: string | undefined
  tier?: ServiceTier | undefined
  endUser?: string | undefined
  metadata?: Readonly<Record<string, string>>
  store?: boolean | undefined
  /** How long the vendor keeps the prompt's cache, in its words. */
  cacheRetention?: string
  /** How the vendor makes use of the prompt's cache, in its words. */
  cacheOptions?: Readonly<Record<string, unknown>>
  /**
   * Fields whose values no other dialect has, by the caller's name for them: each becomes a warning. What no dialect reads is
   * found by `untranslatedFields`.
   */
  untranslated: readonly string[]
  /** Those among them without which the answer would be another one: the request cannot be translated. */
  essential?: readonly string[]
  /** What the caller's dialect repeats in its answers, ready for the wire. */
  echo?: Readonly<Record<string, unknown>>
}

export type Citation = {
  kind: 'url' | 'document'
  url?: string
  title?: string
  /** The words that are cited. */
  cited?: string
  /** Where in the text of its block, in characters. */
  start?: number
  end?: number
}

/** Whom and what a request is for, as its body says. */
export type BodyAttribution = {
  endUser?: string
  session?: string
  /** As they were written, and where. */
  tags?: { at: string; values: readonly string[] }
  /** Top-level fields that are for the gateway alone. */
  own: readonly string[]
}
