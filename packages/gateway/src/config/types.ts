// The configuration as the rest of the gateway sees it: validated and frozen.

import type { RerankShape } from '@trivium/protocol/dialects/chat/rerank/request.ts'
import type { ChatService } from '@trivium/protocol/dialects/chat-service.ts'
import type { DialectId, TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { ServiceId } from '../endpoints/index.ts'
import type { AnyModel, ModelType, PriceOf } from '../modalities/index.ts'
import type { Nanos } from '../money/amount.ts'
import type { LogAddresses } from '../observe/arrival.ts'
import type { TraceSettings } from '../observe/traces/settings.ts'
import type { GatewayRole } from '../storage/people/people.ts'

export type UpstreamDialect = DialectId

export type Timeouts = { firstByteMs: number; idleMs: number; totalMs: number }
/** `drainMs`: how long a call continues after its client has disconnected. */
export type ImageTimeouts = Timeouts & { drainMs: number }

/** The header that carries the API key: `bearer` is `authorization: Bearer KEY`, the others are header names. */
export type Credential = 'bearer' | 'x-api-key' | 'x-goog-api-key' | 'api-key'

/** How an upstream serves one dialect. */
export type UpstreamEndpoint = {
  dialect: TextDialectId
  /** Relative to the base URL. `{model}` is replaced by `models/NAME`, `{method}` by the method called. */
  path: string
  credential: Credential
  /** Headers that every request needs. */
  headers?: Readonly<Record<string, string>>
  /** What the server accepts in this dialect and does not act on. Absent: it honours everything. */
  ignores?: readonly IgnoredFeature[]
  /** The server says that a response is completed, also when it has reached the output cap. */
  completesAtCap?: true
  /** The input tokens at the beginning of a stream are a guess, which the end of the stream corrects. */
  guessesInput?: true
}

/** `forced_tools`: a tool choice that obliges the model to call a tool. `named_tool`: only if it says which one. */
export type IgnoredFeature = 'json_schema' | 'json_object' | 'forced_tools' | 'named_tool'

/** How an upstream serves the images dialect. */
export type ImagesEndpoint = {
  /** Relative to the base URL. */
  generations: string
  /** Takes multipart. Absent: images to edit are sent to `generations`, as URLs or data URLs in its field `image`. */
  edits?: string
  credential: Credential
  /** What becomes of the request's `response_format`. Absent: depends on the model. */
  responseFormat?: 'omit' | 'b64_json'
  /** `n` is ignored: each call makes one image. */
  makesOne?: true
  /** Its streams have events of its own, so that it is asked for a whole response. */
  hasOwnStreams?: true
  /** Fields of the images dialect that it does not have, by their wire names. */
  lacks?: readonly string[]
  /** Makes a series of images where `sequential_image_generation` asks for it, and bills each of them. */
  makesSeries?: true
}

/** How an upstream serves the video-tasks dialect. */
export type VideosEndpoint = { credential: Credential }

/** How an upstream serves what is neither text nor images nor videos. Its credential is that of the chat dialect. */
export type ServiceEndpoint = {
  /** Relative to the base URL. */
  path: string
  /** Fields of requests that it does not have, by their wire names. */
  lacks?: readonly string[]
  /** Fields that it calls by other names. */
  names?: Readonly<Record<string, string>>
  /** Only models whose names begin so have it. Absent: all. */
  models?: readonly string[]
  /** It is not known to be there: asked only where there is no other way. */
  assumed?: true
  /** The path of Cohere's own form of embeddings. */
  embed?: string
  /** How it is asked for rankings. Absent: `jina`. */
  shape?: RerankShape
}
export type Services = { readonly [Id in ServiceId]?: ServiceEndpoint }

export type Upstream = {
  id: string
  /** `sandbox`, `custom`, or the name of a built-in kind. */
  kind: string
  /** Served by this process itself: no vendor is behind it, and its calls cost the operator nothing. */
  embedded?: true
  /** The dialect of the first endpoint. Absent for the sandbox, which answers in the dialect of the request. */
  dialect: UpstreamDialect | undefined
  /** Without a trailing slash; the paths of `endpoints` are relative to it. */
  baseUrl: string
  /** In order of preference; empty for the sandbox. */
  endpoints: readonly UpstreamEndpoint[]
  /** Absent: it does not speak the images dialect. */
  images?: ImagesEndpoint
  /** Absent: it does not speak the video-tasks dialect. */
  videos?: VideosEndpoint
  /** Absent: none. */
  services?: Services
  /** How its chat dialect differs from the standard. */
  service?: Partial<ChatService>
  /** Request fields, beyond those of its dialects, that bound or multiply output. Absent: all that any service has. */
  extraCapFields?: readonly string[]
  /** A GET of this path with the API key succeeds and costs nothing. */
  healthPath?: string
  /** It might answer with another model than was asked for, at another price. */
  sellsManyVendors?: true
  keys: readonly string[]
  maxConcurrency: number | undefined
  maxConcurrencyPerKey?: number | undefined
  /** Upstreams with the same quota name share their rate limits. Absent: each key has its own. */
  quota?: string | undefined
  /** false: no circuit breaker and no cool-down. */
  breaker?: boolean
  timeouts: Timeouts
  /** For calls that generate images, where the file sets a timeout. Absent: the defaults, longer ones than for text. */
  imageTimeouts?: ImageTimeouts
  /** How long a task may take from its submit to its end, where the file sets a total timeout. */
  taskDeadlineMs?: number
  proxy: string | undefined
  /** The required HTTP version. Absent: HTTP/2 if the upstream offers it. */
  http?: '1.1' | '2'
  allowPrivate: boolean
  /** Callers may refer to objects stored at the vendor: files, caches, containers. */
  sharedObjects: boolean
  /** `input`: the vendor charges the input of aborted requests. */
  billsOnAbort: 'nothing' | 'input'
}

/** A group's price for a model. It replaces the model's price, and the group's multiplier does not apply to it. */
export type GroupPrice = { [T in ModelType]: { type: T; price: PriceOf<T>; priceVersion: string } }[ModelType]

export type Group = {
  id: string
  /** Model ids, or `*` for all. */
  models: readonly string[]
  multiplierMillionths: bigint
  /** Every account holder may choose it in the console. */
  console?: boolean
  /** Email addresses, in lower case, of account holders who may choose it in the console. */
  accounts?: readonly string[]
  /** By model id. */
  prices?: ReadonlyMap<string, GroupPrice>
}

export type ServerConfig = {
  publicUrl: string | undefined
  tls: { certFile: string; keyFile: string } | undefined
  /** CIDR blocks whose X-Forwarded-* headers are trusted. */
  trustedProxies: readonly string[]
  limits: {
    bodyBytes: number
    /** JSON values in a body, at every depth: each takes memory when it is parsed. */
    values: number
    inFlight: number
    /** Total size of the bodies of requests in flight. */
    memoryBytes: number
    /** A multipart body, whose files are written to disk as they arrive. */
    uploadBytes: number
    /** Total size of uploaded files on disk. */
    spoolBytes: number
    /** Stored responses and responses to idempotent requests: of one account, and of all. Beyond, the oldest are removed. */
    storedPerAccountBytes: number
    storedBytes: number
    /** Stored images and videos, in the same way. */
    mediaPerAccountBytes: number
    mediaBytes: number
    /** What an account may send to models whose price is 0. */
    freeRequestsPerMinute: number
  }
  /** How long requests in flight may continue after SIGTERM. */
  drainMs: number
  /** Whether receipts shown to callers name the upstreams. */
  showUpstreams: boolean
  /** How much of clients' addresses log lines and traces show. */
  logAddresses: LogAddresses
  /** Whether there is an admin API. */
  admin: boolean
  /** The networks that the admin API may be used from; none: any. */
  adminNetworks: readonly string[]
  /** Lets other machines read /metrics. */
  metricsToken: string | undefined
}

/** How long contents are kept, in milliseconds; `off`: not at all. */
export type Retention = {
  responses: number | 'off'
  reasoning: number | 'off'
  idempotency: number | 'off'
  requests: number | 'off'
  media: number | 'off'
  /** Always kept for a while: clients ask for the result later. */
  tasks: number
  /** Rows of the audit log. */
  audit: number | 'off'
}

/** A store that speaks the protocol of S3. */
export type S3Config = { endpoint: string; bucket: string; region: string; accessKey: string; secretKey: string }

/** Where generated images and videos are stored. */
export type MediaConfig = { disk: string; s3?: never } | { s3: S3Config; disk?: never }

/** `url`: smtp:// or smtps://, with user and password. `ca`: certificates in PEM that sign the server's. */
export type MailConfig = { url: string; from: string; ca?: string }

/** How the console presents itself. */
export type ConsoleConfig = { name: string; supportUrl: string | undefined }

/** A provider of sign-ins (OpenID Connect). */
export type SignInProvider = {
  /** In the URL of its sign-in. */
  id: string
  /** On its button. */
  name: string
  issuer: string
  clientId: string
  clientSecret: string
  /** Whose addresses may sign in for the first time; none: only people who are known or invited. */
  domains: readonly string[]
  /** What is asked of the provider. */
  scopes: readonly string[]
  /** The claim that lists the groups of a person at the provider. */
  groupsClaim: string | undefined
  /** What these groups give: a role in the gateway, and groups of prices. */
  roles: ReadonlyMap<string, GatewayRole>
  priceGroups: ReadonlyMap<string, string>
  /** The provider may be at a private address. */
  allowPrivate: boolean
}

/** What alerts are sent of; their names in the file. */
export type AlertRule =
  | 'upstream_down'
  | 'error_rate'
  | 'margin_negative'
  | 'audit_failed'
  | 'commits_lost'
  | 'old_holds'
  | 'disk_full'
  | 'contents_full'
  | 'certificate_expiring'
  | 'price_list_old'

export const RULES_WITHOUT_THRESHOLD = ['audit_failed', 'commits_lost'] as const satisfies AlertRule[]
type AlertRuleWithoutThreshold = (typeof RULES_WITHOUT_THRESHOLD)[number]

/** Alerts, and where they are sent. `secret`: signs them, by the rules of Standard Webhooks. */
export type AlertsConfig = {
  webhooks: readonly { url: string; secret: string }[]
  email: readonly string[]
  /** Webhooks may be at private addresses. */
  allowPrivate: boolean
  off: readonly AlertRule[]
  /** Milliseconds, or percent. */
  thresholds: Readonly<Record<Exclude<AlertRule, 'margin_negative' | AlertRuleWithoutThreshold>, number>>
  /** `margin_negative`: what a model may lose within a day. */
  loss: Nanos
}

/** The configuration from the file; a reload replaces all of it. */
export type FileConfig = {
  server: ServerConfig
  registration: {
    open: boolean
    trialCredit: Nanos
    /** undefined: none. */
    trialBudgetPerDay: Nanos | undefined
    accountsPerNetworkPerDay: number
    /** Trial credit of the days with embedded models alone stays when a real upstream is added. */
    keepSandboxCredit: boolean
  }
  /** `faultsWritten` distinguishes `faults: false` in the file from the default. */
  sandbox: { on: boolean; faults: boolean; faultsWritten: boolean }
  retention: Retention
  /** Absent: a folder in the data folder. */
  media?: MediaConfig
  upstreams: ReadonlyMap<string, Upstream>
  models: ReadonlyMap<string, AnyModel>
  /** Tools that the gateway runs itself. */
  tools?: { imageGeneration?: { model: string } }
  /** `allowPrivate`: callback URLs may name private addresses. */
  callbacks: { allowPrivate: boolean }
  alerts: AlertsConfig
  console: ConsoleConfig
  /** `password`: people may sign in with one; owners of the gateway always may. */
  signIn: { providers: readonly SignInProvider[]; password: boolean; sessionAgeMs: number }
  /** Absent: no email is sent. */
  mail?: MailConfig
  groups: ReadonlyMap<string, Group>
  /** The date of the built-in price list, if models and prices come from it. */
  priceList?: string
  /** The revision of the stored entries; 0: nothing was ever stored. */
  revision: number
  /** The first 12 hexadecimal digits of the hash of the file's text. Empty: there is no file. */
  fileHash: string
  /** Hash of everything except secrets and local paths. Nodes compare it to detect config drift. */
  hash: string
  /** Valid but probably unintended settings, such as a model without a price. */
  warnings: readonly string[]
}

/** The configuration from environment variables: fixed for the life of the process. */
export type Environment = {
  host: string
  port: number
  dataDir: string
  /** The file that the start read. */
  configFile: string | undefined
  /** The file that a server follows: without one at the start, the one that it reads once it exists. */
  watchedFile: string
  databaseUrl: string | undefined
  secret: string | undefined
  /** The secret that `secret` replaces, accepted beside it. */
  secretOld: string | undefined
  workers: number
  /** `errors`: events only. `requests`: events and one line per request. */
  log: 'off' | 'errors' | 'requests'
  /** Absent: text on a terminal, else JSON. */
  logFormat?: 'text' | 'json' | undefined
  /** Absent: standard error. */
  logFile?: string | undefined
  /** Absent: tracing is off. */
  traces?: TraceSettings | undefined
  /** About files that look like a configuration but are not read. */
  warnings: readonly string[]
}
