// Where and how an upstream is called in a dialect: path and credential header.
import type { DialectId, TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { ReplyQuirks } from '@trivium/protocol/dialects/pass-through.ts'
import type { Credential, ImagesEndpoint, Upstream, UpstreamEndpoint } from '../config/types.ts'
import { dialectsFor } from '../config/upstream-dialects.ts'
import { standardEndpoint, standardImages, standardVideos } from '../config/upstream-kinds.ts'
import type { DialectOf, ModelType } from '../modalities/index.ts'

/** The standard endpoint of the dialect if the upstream describes none, as the embedded models. */
export function endpointOf({ endpoints }: Upstream, dialect: TextDialectId): UpstreamEndpoint {
  for (const each of endpoints) if (each.dialect === dialect) return each
  return standardEndpoint(dialect)
}

/** With the endpoints that models of this name are asked at: their own, or those that have no models of their own. */
export function upstreamOfModel(upstream: Upstream, model: string): Upstream {
  const own = upstream.endpoints.filter(({ models }) => models?.test(model))
  const endpoints = own.length > 0 ? own : upstream.endpoints.filter(({ models }) => !models)
  const isSame = endpoints.length === upstream.endpoints.length || endpoints.length === 0
  return isSame ? upstream : { ...upstream, endpoints, dialect: endpoints[0]?.dialect }
}

/** What is known to be wrong in the upstream's replies in this dialect. undefined: nothing. */
export function quirksOf(upstream: Upstream, dialect: TextDialectId): ReplyQuirks | undefined {
  const { completesAtCap, guessesInput } = endpointOf(upstream, dialect)
  if (!completesAtCap && !guessesInput) return undefined
  return guessesInput ? { guessesInput } : {}
}

/** `caps`: of the request that is sent, the smallest of which counts. */
export function noteCap(
  quirks: ReplyQuirks,
  upstream: Upstream,
  dialect: TextDialectId,
  caps: readonly (number | undefined)[],
): void {
  const given = caps.filter((cap) => cap !== undefined)
  if (endpointOf(upstream, dialect).completesAtCap && given.length > 0) quirks.cap = Math.min(...given)
}

/** Below the upstream's base URL. */
export function upstreamPath(upstream: Upstream, dialect: TextDialectId, model: string, stream: boolean): string {
  const { path } = endpointOf(upstream, dialect)
  return TEXT_DIALECTS[dialect].endpoint.fillPath?.(path, model, stream) ?? path
}

/** The dialect in which the upstream is asked for what models of the type generate. undefined: not at all. */
export function dialectFor<T extends ModelType>(upstream: Upstream, type: T): DialectOf<T> | undefined {
  const [preferred] = dialectsFor(upstream, type) as readonly DialectOf<T>[]
  return preferred
}

/** The standard endpoints if the upstream describes none, as the embedded models. */
export const imagesEndpointOf = ({ images }: Upstream): ImagesEndpoint => images ?? standardImages()

/** What every call in this dialect carries. */
export function callSettings(upstream: Upstream, dialect: DialectId): Pick<UpstreamEndpoint, 'credential' | 'headers'> {
  if (dialect === 'video-tasks') return upstream.videos ?? standardVideos()
  return dialect === 'images' ? imagesEndpointOf(upstream) : endpointOf(upstream, dialect)
}

/** GPT image models reject the field; others answer with a URL unless they are asked for base64. */
export function responseFormatFor({ images }: Upstream, model: string): 'omit' | 'b64_json' {
  return images?.responseFormat ?? (/(?:^|\/)(?:chat)?gpt-image/.test(model) ? 'omit' : 'b64_json')
}

/** Google's API keys; everything else that its services take is a token. */
const GOOGLE_KEY = /^AIza|^AQ\./

export function credentialHeader(credential: Credential, key: string): Record<string, string> {
  if (credential === 'google') return credentialHeader(GOOGLE_KEY.test(key) ? 'x-goog-api-key' : 'bearer', key)
  return credential === 'bearer' ? { authorization: `Bearer ${key}` } : { [credential]: key }
}
