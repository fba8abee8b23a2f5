// Where and how an upstream is called in a dialect: path and credential header.
import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { ReplyQuirks } from '@trivium/protocol/dialects/text-dialect.ts'
import type { VideoDialectId } from '@trivium/protocol/dialects/video-services.ts'
import type { Credential, ImagesEndpoint, Upstream, UpstreamEndpoint } from '../config/types.ts'
import { standardEndpoint, standardImages, standardVideos } from '../config/upstream-kinds.ts'

/** The standard endpoint of the dialect if the upstream describes none, as the embedded models. */
export function endpointOf({ endpoints }: Upstream, dialect: TextDialectId): UpstreamEndpoint {
  for (const each of endpoints) if (each.dialect === dialect) return each
  return standardEndpoint(dialect)
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

/** How images are requested from the upstream: in its images dialect if it has one. undefined: not at all. */
export function imageDialectOf({ images, endpoints, dialect, embedded }: Upstream): ImageDialectId | undefined {
  if (images || (embedded && (dialect === undefined || dialect === 'images'))) return 'images'
  const dialects: readonly (string | undefined)[] = embedded ? [dialect] : endpoints.map((each) => each.dialect)
  return (['generate-content', 'responses'] as const).find((each) => dialects.includes(each))
}

/** The standard endpoints if the upstream describes none, as the embedded models. */
export const imagesEndpointOf = ({ images }: Upstream): ImagesEndpoint => images ?? standardImages()

/** How videos are requested from the upstream: in its video-tasks dialect if it has one. undefined: not at all. */
export function videoDialectOf({ videos, endpoints, dialect, embedded }: Upstream): VideoDialectId | undefined {
  if (videos || (embedded && (dialect === undefined || dialect === 'video-tasks'))) return 'video-tasks'
  const isServed = embedded
    ? dialect === 'generate-content'
    : endpoints.some((each) => each.dialect === 'generate-content')
  return isServed ? 'generate-content' : undefined
}

/** What every call in this dialect carries. */
export function callSettings(
  upstream: Upstream,
  dialect: TextDialectId | ImageDialectId | VideoDialectId,
): Pick<UpstreamEndpoint, 'credential' | 'headers'> {
  if (dialect === 'video-tasks') return upstream.videos ?? standardVideos()
  return dialect === 'images' ? imagesEndpointOf(upstream) : endpointOf(upstream, dialect)
}

/** GPT image models reject the field; others answer with a URL unless they are asked for base64. */
export function responseFormatFor({ images }: Upstream, model: string): 'omit' | 'b64_json' {
  return images?.responseFormat ?? (/(?:^|\/)(?:chat)?gpt-image/.test(model) ? 'omit' : 'b64_json')
}

export function credentialHeader(credential: Credential, key: string): Record<string, string> {
  return credential === 'bearer' ? { authorization: `Bearer ${key}` } : { [credential]: key }
}
