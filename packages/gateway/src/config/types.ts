// The configuration as the rest of the gateway sees it: validated and frozen.

import type { RerankShape } from '@trivium/protocol/dialects/chat/rerank/request.ts'
import type { ChatService } from '@trivium/protocol/dialects/chat-service.ts'
import type { DialectId, TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { ServiceId } from '../endpoints/index.ts'
import type { AnyModel, ModelType, PriceOf } from '../modalities/index.ts'
import type { TraceSettings } from '../observe/traces/settings.ts'
import type { LimitKind } from '../storage/storage.ts'
import type { AlertsConfig } from './sections/alerts.ts'
import type { CALLBACKS } from './sections/callbacks.ts'
import type { COMPATIBILITY } from './sections/compatibility.ts'
import type { CONSOLE } from './sections/console.ts'
import type { NoticesConfig } from './sections/notices/notices.ts'
import type { Registration } from './sections/registration.ts'
import type { AttributionConfig } from './sections/requests/attribution.ts'
import type { ArchiveConfig, Retention } from './sections/retention.ts'
import type { ServerConfig } from './sections/server.ts'
import type { SIGN_IN } from './sections/sign-in.ts'
import type { CloudEnvironment } from './settings/cloud-variables.ts'
import type { ValuesOf } from './settings/setting.ts'

export type UpstreamDialect = DialectId

export type Timeouts = { firstByteMs: number; idleMs: number; totalMs: number }
/** `drainMs`: how long a call continues after its client has disconnected. */
export type ImageTimeouts = Timeouts & { drainMs: number }

/**
 * The header that carries the API key: `bearer` is `authorization: Bearer KEY`, `google` that or `x-goog-api-key`, by the form of the
 * key; the others are header names.
 */
export type Credential = 'bearer' | 'google' | 'x-api-key' | 'x-goog-api-key' | 'api-key'

/** How requests go over the wire of a cloud that puts its dialect differently: upstreams/framings/ has a file for each. */
export type Framing = 'invoke-model' | 'raw-predict' | 'marks-in-blocks' | 'predict' | 'deployments'

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
  /** Models whose names fit are asked here, and in no endpoint without this; others are not asked here. Absent: all others. */
  models?: RegExp
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

/** What authorises requests to a cloud, in place of keys. Optional fields: absent, the SDKs' order of sources applies. */
export type UpstreamAuth =
  | {
      type: 'aws'
      region?: string
      profile?: string
      roleArn?: string
      externalId?: string
      accessKey?: string
      secretKey?: string
      sessionToken?: string
    }
  /** `credentials`: the path of a file, or the JSON itself. */
  | { type: 'google'; credentials?: string; project?: string; location?: string }
  | { type: 'entra'; tenant?: string; clientId?: string; clientSecret?: string }

/** What an upstream or a route may be used for, over all processes. Absent: no such limit. */
export type RequestLimits = Readonly<Partial<Record<LimitKind, number>>>

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
  /** Absent: the dialects as they are. */
  framing?: Framing
  /** For services that want it with every call. */
  apiVersion?: string
  /** How its models are listed. Absent: as its dialect does it. */
  lists?: 'foundation-models' | 'publishers' | 'deployments'
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
  /** With `auth`: one label, which is no secret and is never sent, so that health and records have a key to name. */
  keys: readonly string[]
  /** Absent: the keys are sent as they are. */
  auth?: UpstreamAuth
  maxConcurrency: number | undefined
  maxConcurrencyPerKey?: number | undefined
  /** Kept over all processes; amounts of money in nano-USD. Absent: none. */
  limits?: RequestLimits
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

/** A store that speaks the protocol of S3. */
export type S3Config = { endpoint: string; bucket: string; region: string; accessKey: string; secretKey: string }

/** Where generated images and videos are stored. */
export type MediaConfig = { disk: string; s3?: never } | { s3: S3Config; disk?: never }

/** `url`: smtp:// or smtps://, with user and password. `ca`: certificates in PEM that sign the server's. */
export type MailConfig = { url: string; from: string; ca?: string }

/** The configuration from the file; a reload replaces all of it. */
export type FileConfig = {
  server: ServerConfig
  registration: Registration
  /** `faultsWritten` distinguishes `faults: false` in the file from the default. */
  sandbox: { on: boolean; faults: boolean; faultsWritten: boolean }
  retention: Retention
  archive: ArchiveConfig
  /** Absent: a folder in the data folder. */
  media?: MediaConfig
  upstreams: ReadonlyMap<string, Upstream>
  models: ReadonlyMap<string, AnyModel>
  /** The models that entries such as `openai/*` stand for, by their ids. Absent: there is no such entry. */
  wildcards?: ReadonlyMap<string, readonly string[]>
  /** Tools that the gateway runs itself. */
  tools?: { imageGeneration?: { model: string } }
  attribution: AttributionConfig
  callbacks: ValuesOf<typeof CALLBACKS>
  compatibility: ValuesOf<typeof COMPATIBILITY>
  alerts: AlertsConfig
  notices: NoticesConfig
  console: ValuesOf<typeof CONSOLE>
  signIn: ValuesOf<typeof SIGN_IN>
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
  /** For credentials of clouds. */
  clouds: CloudEnvironment
  /** About files that look like a configuration but are not read. */
  warnings: readonly string[]
}
