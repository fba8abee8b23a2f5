// What a description of a kind of upstream says, and how the four text dialects are spoken where nothing else is said.
import type { TextDialectId } from '@trivium/protocol/canonical/request.ts'
import type { ChatService } from '@trivium/protocol/dialects/chat-service.ts'
import type { MediaPrice, Model, ModelType, TokenPrice } from './types.ts'

/** The header that carries the key: `bearer` is `authorization: Bearer KEY`, the others are the header's name. */
export type Credential = 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'api-key'

/** One dialect as an upstream speaks it. */
export type UpstreamEndpoint = {
  dialect: TextDialectId
  /** Below the base address. `{model}` stands for `models/NAME`, `{method}` for what is asked of it. */
  path: string
  credential: Credential
  /** That every request must have. */
  headers?: Readonly<Record<string, string>>
}

export type UpstreamKind = {
  /** As it is written in the configuration file. */
  kind: string
  /** As people know it. */
  name: string
  /** Where it says so itself. */
  source: string
  /** Absent: it must be given, and looks like `example`. */
  baseUrl?: string
  /** An address for messages, where the base address must be given. */
  example?: string
  /** How a base address must end. Empty: not in /v1, since the paths differ by dialect. Absent: any end will do. */
  baseUrlSuffix?: string
  /** In the order of preference: the caller's own dialect if it is here, else the first. */
  endpoints: readonly [UpstreamEndpoint, ...UpstreamEndpoint[]]
  service?: Partial<ChatService>
  /**
   * Fields besides its dialects' own that bound or multiply its output: they are kept within what is paid for. Empty: it
   * rejects fields that it does not know. Absent: any that some service has.
   */
  extraCapFields?: readonly string[]
  /** Answers a GET with the key, and costs nothing. Below the base address. */
  healthPath?: string
  /** It usually takes no key: the field may be left out. */
  keyless?: true
  /** The environment variable that switches it on by itself, with its models from the price list. */
  keyVariable?: string
  /**
   * `sandbox`: whole calls run against the embedded model at the same paths, in the tests. `untried`: its addresses and
   * credentials are checked there, but the embedded model does not serve its paths. Neither has seen the vendor itself.
   */
  tried: 'sandbox' | 'untried'
}

/** A model of the price list. */
export type KnownModel = {
  id: string
  type: ModelType
  price: TokenPrice | MediaPrice
  limits: Model['limits']
}

/** What comes with the program. The list is read only when it is needed. */
export type BuiltIn = {
  kinds: ReadonlyMap<string, UpstreamKind>
  priceList(): { date: string; vendors: readonly { kind: string; models: readonly KnownModel[] }[] }
  /** The most output tokens of a well-known model, by its name at an upstream. */
  maxOutput(model: string): number | undefined
  /** Milliseconds since 1970. */
  now(): number
}

const STANDARD: Readonly<Record<TextDialectId, UpstreamEndpoint>> = {
  chat: { dialect: 'chat', path: '/chat/completions', credential: 'bearer' },
  responses: { dialect: 'responses', path: '/responses', credential: 'bearer' },
  messages: {
    dialect: 'messages',
    path: '/v1/messages',
    credential: 'x-api-key',
    headers: { 'anthropic-version': '2023-06-01' },
  },
  'generate-content': { dialect: 'generate-content', path: '/{model}:{method}', credential: 'x-goog-api-key' },
}

/** As the vendor's own SDK speaks it, but for the differences. */
export const standardEndpoint = (
  dialect: TextDialectId,
  differences: Partial<Omit<UpstreamEndpoint, 'dialect'>> = {},
): UpstreamEndpoint => ({
  ...STANDARD[dialect],
  ...differences,
})
