// The configuration as the rest of the gateway sees it: read once, checked, frozen.
import type { ChatService } from '@trivium/protocol/dialects/chat-service.ts'
import type { Nanos } from '../money/amount.ts'
import type { MediaPrice } from '../money/prices/media-price.ts'
import type { TokenPrice } from '../money/prices/token-price.ts'
import type { UpstreamEndpoint } from './upstream-kinds.ts'

export type UpstreamDialect = 'chat' | 'responses' | 'messages' | 'generate-content' | 'images' | 'video-tasks'

export type Timeouts = { firstByteMs: number; idleMs: number; totalMs: number }

export type Upstream = {
  id: string
  /** `sandbox`, `custom`, or the name of a built-in description. */
  kind: string
  /** The first that it speaks. Absent at the embedded model, which answers in the dialect that it is asked in. */
  dialect: UpstreamDialect | undefined
  /** Without a trailing slash; what the paths in `speaks` are below. */
  baseUrl: string
  /** In the order of preference; nothing at the embedded model. */
  endpoints: readonly UpstreamEndpoint[]
  /** What is known of it as a chat service. */
  service?: Partial<ChatService>
  /** Fields besides its dialects' own that bound or multiply its output. Absent: any that some service has. */
  extraCapFields?: readonly string[]
  /** Answers a GET with the key, and costs nothing. */
  healthPath?: string
  keys: readonly string[]
  maxConcurrency: number | undefined
  /** The same for each of its keys. */
  maxConcurrencyPerKey?: number | undefined
  /** All keys of all upstreams that name the same one are limited together. Absent: each by itself. */
  quota?: string | undefined
  /** false: it is asked however often it failed. */
  breaker?: boolean
  timeouts: Timeouts
  proxy: string | undefined
  /** The version of HTTP that it must be spoken to in. Absent: HTTP/2 where it offers that. */
  http?: '1.1' | '2'
  allowPrivate: boolean
  /** Callers may name objects kept at the vendor: files, caches, containers. */
  sharedObjects: boolean
  /** `input`: leaving early still costs the input there. */
  billsOnAbort: 'nothing' | 'input'
}

export type { MediaPrice, TokenPrice }

export type Route = {
  upstream: string
  model: string
  /** The lowest number is tried first. */
  priority: number
  weight: number
  /** What the operator pays there; absent: unknown. */
  cost: TokenPrice | undefined
  /** The most output tokens of the model there, from the built-in list, where the file says nothing of it. */
  maxOutput?: number
}

export type Model = {
  id: string
  routes: readonly Route[]
  /** Absent: the model does not exist for callers. */
  price: TokenPrice | undefined
  /** Short hash of the price as written: on each receipt, so that a charge can be traced to the price in force. */
  priceVersion: string
  /** Other models that are asked instead when no upstream of this one answers; in this order. */
  fallbacks?: readonly string[]
  limits: { context: number | undefined; maxOutput: number | undefined }
}

/** A model that makes images or videos. Nothing calls these yet: they are read, checked and priced. */
export type MediaModel = {
  id: string
  type: 'image' | 'video'
  routes: readonly (Omit<Route, 'cost'> & { cost: MediaPrice | undefined })[]
  price: MediaPrice | undefined
  priceVersion: string
}

export type ModelType = 'text' | MediaModel['type']

/** A group's own price for a model, instead of the model's and of the group's multiplier. */
export type GroupPrice = { price: TokenPrice; priceVersion: string }
export type GroupMediaPrice = { price: MediaPrice; priceVersion: string }

/** `models`: ids, or `*` for all. `multiplier` in millionths, exact. */
export type Group = {
  id: string
  models: readonly string[]
  multiplierMillionths: bigint
  /** By the model's id; absent: none. */
  prices?: ReadonlyMap<string, GroupPrice>
  mediaPrices?: ReadonlyMap<string, GroupMediaPrice>
}

export type ServerConfig = {
  publicUrl: string | undefined
  tls: { certFile: string; keyFile: string } | undefined
  /** CIDR blocks whose X-Forwarded-* headers are believed. */
  trustedProxies: readonly string[]
  limits: {
    bodyBytes: number
    /** JSON values in a body, at every depth: each one takes memory when it is parsed. */
    values: number
    /** Requests in flight at once, and the memory their bodies may take together. */
    inFlight: number
    memoryBytes: number
  }
  /** How long running requests get after SIGTERM. */
  drainMs: number
  /** Whether the receipts of callers name the upstreams that were asked. */
  showUpstreams: boolean
}

/** How long contents are kept, in milliseconds; `off` keeps none. */
export type Retention = {
  responses: number | 'off'
  reasoning: number | 'off'
  idempotency: number | 'off'
  requests: number | 'off'
}

/** What the file says: replaced as a whole on reload. */
export type FileConfig = {
  server: ServerConfig
  registration: { open: boolean; trialCredit: Nanos; trialBudgetPerDay: Nanos }
  /** `faults`: as written, else false; `faultsWritten` tells a written `false` from nothing said. */
  sandbox: { on: boolean; faults: boolean; faultsWritten: boolean }
  retention: Retention
  upstreams: ReadonlyMap<string, Upstream>
  models: ReadonlyMap<string, Model>
  /** Those of type image and video; absent: none. */
  mediaModels?: ReadonlyMap<string, MediaModel>
  groups: ReadonlyMap<string, Group>
  /** The day of the built-in price list, where models and prices come from it. */
  priceList?: string
  /** Hash of all of it but secrets and local paths: nodes with different ones have drifted apart. */
  hash: string
  /** Not mistakes, but an operator should know: an unpriced model, for one. */
  warnings: readonly string[]
}

/** What the environment says: fixed for the life of the process. */
export type Environment = {
  host: string
  port: number
  dataDir: string
  configFile: string | undefined
  databaseUrl: string | undefined
  secret: string | undefined
  workers: number
  /** How much is logged: nothing, events, or one line per request besides. */
  log: 'off' | 'errors' | 'requests'
  /** Files that look like a configuration but are not read. */
  warnings: readonly string[]
}

/** One thing wrong with the configuration, in words an operator can act on. */
export type Mistake = { file: string; line: number | undefined; message: string }
