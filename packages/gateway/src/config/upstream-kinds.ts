// The built-in description of a kind of upstream, and the standard endpoints of the text dialects.

import type { ChatService } from '@trivium/protocol/dialects/chat-service.ts'
import { DIALECTS, TEXT_DIALECTS, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { SERVICE_IDS, SERVICE_PATHS, type ServiceId } from '../endpoints/index.ts'
import type { ModelOf, ModelType, PriceOf } from '../modalities/index.ts'
import type { Capability } from '../modalities/modality.ts'
import type {
  Framing,
  ImagesEndpoint,
  Services,
  Upstream,
  UpstreamAuth,
  UpstreamEndpoint,
  VideosEndpoint,
} from './types.ts'

/** Vendors with accounts of their own in mainland China. */
export const REGIONS = ['international', 'china'] as const
export type Region = (typeof REGIONS)[number]

/** Where a customer of a cloud is. */
export const PLACE_FIELDS = ['region', 'project', 'location', 'resource'] as const
export type PlaceField = (typeof PLACE_FIELDS)[number]

/** What authorises the requests to a kind. */
export type KindAuth = {
  /** The first but `key` is the default where there are no keys. `key`: its API keys, as they are. */
  types: readonly ['key', ...UpstreamAuth['type'][]]
  /** The name that signatures have, or the scope that tokens are for. */
  service?: string
  /** The same at hosts with these endings. */
  byHost?: Readonly<Record<string, string>>
}

export type UpstreamKind = {
  /** The name used in the configuration file. */
  kind: string
  /** The vendor's name, for messages. */
  name: string
  /** The vendor's documentation that this description follows. */
  source: string
  /** Where the vendor hands out API keys. */
  keysPage?: string
  /** Absent: the file must give it, in the form of `example`. */
  baseUrl?: string
  /** The region `china`: mainland China, where the vendor has accounts, keys and a base URL of their own. */
  mainland?: { baseUrl: string; keysPage: string }
  /**
   * What the base URL is where the file has these fields and no `base_url`: each in braces; `{host}` and `{amazonaws}` are those of
   * the location and the region.
   */
  place?: { fields: readonly PlaceField[]; baseUrl: string }
  /** The API version that it is called with, unless the file names one. Absent: the base URL says it. */
  apiVersion?: string
  /** Absent: the dialects as they are. */
  framing?: Framing
  /** Absent: only keys. */
  auth?: KindAuth
  /** How long it may be silent, unless the file says so. Absent: as long as others. */
  idleMs?: number
  /** How its models are listed, where that is not a matter of its dialect. */
  lists?: Upstream['lists']
  /** An example URL for messages, if the file must give the base URL. */
  example?: string
  /** How the base URL must end. Empty: not in /v1, since paths differ by dialect. Absent: any URL is accepted. */
  baseUrlSuffix?: string
  /** In order of preference. A request uses the caller's dialect if it is among them, else the first. */
  endpoints: readonly UpstreamEndpoint[]
  /** Absent: it does not speak the images dialect. */
  images?: ImagesEndpoint
  /** Absent: it does not speak the video-tasks dialect. */
  videos?: VideosEndpoint
  /** What it serves besides, such as embeddings. Absent: nothing. */
  services?: Services
  service?: Partial<ChatService>
  /**
   * Request fields, beyond those of its dialects, that bound or multiply output: they are limited to what the hold covers.
   * Empty: the vendor rejects unknown fields. Absent: all that any service has.
   */
  extraCapFields?: readonly string[]
  /** Relative to the base URL: a GET with the API key succeeds and costs nothing. */
  healthPath?: string
  /** It sells models of many vendors, and might answer with another than was asked for, at another price. */
  sellsManyVendors?: true
  /** `keys` may be omitted in the file. */
  keyless?: true
  /** The environment variable that alone enables it, with its models from the price list. */
  keyVariable?: string
  /**
   * `sandbox`: tests run complete calls against the embedded model at the same paths. `none`: tests check only URLs and
   * credentials, since the embedded model does not serve its paths. What was run against the vendor itself is in upstreams/certified/.
   */
  testedWith: 'sandbox' | 'none'
}

/** A model of the price list. */
export type KnownModel = {
  [T in ModelType]: Pick<ModelOf<T>, 'id' | 'type' | 'limits'> & { price: PriceOf<T> }
}[ModelType] & {
  /** Price and limits as a configuration file writes them. */
  written: { price: unknown; limits?: unknown }
}

/** What is built into the program. The price list is parsed on first use. */
export type BuiltIn = {
  kinds: ReadonlyMap<string, UpstreamKind>
  priceList(): { date: string; vendors: readonly { kind: string; models: readonly KnownModel[] }[] }
  /** The limits of a well-known model of this type, by its name at the vendor. */
  limits(type: ModelType, model: string): unknown
  /** What a well-known model supports besides text, by its name at the vendor. */
  capabilities(model: string): readonly Capability[] | undefined
  /** Milliseconds since 1970. */
  now(): number
  /** What all processes of this server may use: the limit of the container, or the machine's memory. Absent: unlimited. */
  memoryBytes?(): number
}

/** undefined: nothing is signed, and no token is for it. */
export const authServiceOf = ({ auth }: UpstreamKind, baseUrl: string): string | undefined => {
  const { hostname } = new URL(baseUrl)
  const [, atHost] = Object.entries(auth?.byHost ?? {}).find(([ending]) => hostname.endsWith(ending)) ?? []
  return atHost ?? auth?.service
}

/** The endpoint that the vendor's SDK uses, except for `differences`. */
export const standardEndpoint = (
  dialect: TextDialectId,
  differences: Partial<Omit<UpstreamEndpoint, 'dialect'>> = {},
): UpstreamEndpoint => {
  const { path, credential, headers } = TEXT_DIALECTS[dialect].endpoint
  return { dialect, path, credential, ...(headers ? { headers } : {}), ...differences }
}

/** The images endpoints as OpenAI's SDK calls them, except for `differences`. */
export const standardImages = (differences: Partial<ImagesEndpoint> = {}): ImagesEndpoint => {
  const { path, credential } = DIALECTS.images.endpoint
  return { generations: path, edits: '/images/edits', credential, ...differences }
}

/** At OpenAI's paths. */
export const standardServices = (ids: readonly ServiceId[] = SERVICE_IDS): Services =>
  Object.fromEntries(ids.map((id) => [id, { path: SERVICE_PATHS[id] }]))

export const standardVideos = (): VideosEndpoint => ({ credential: DIALECTS['video-tasks'].endpoint.credential })
