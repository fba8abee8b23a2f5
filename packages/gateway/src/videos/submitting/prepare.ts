// A request as one candidate gets it, and the most that it can cost there.

import type { VideoRequest, VideoSettings } from '@trivium/protocol/canonical/video.ts'
import type { VideoCall } from '@trivium/protocol/dialects/video-service.ts'
import { VIDEO_SERVICES, type VideoDialectId } from '@trivium/protocol/dialects/video-services.ts'
import { readingsOf } from '@trivium/protocol/dialects/video-tasks/request/readings.ts'
import { fetchMedia } from '../../access/urls/fetch-media.ts'
import { codec } from '../../bytes/codec.ts'
import type { CandidateOf, OfferOf } from '../../catalogue/catalogue.ts'
import { mostExpensive, requestedVideo } from '../../endpoints/videos/modality/bound.ts'
import type { Video } from '../../endpoints/videos/modality/price.ts'
import type { Slot } from '../../overload/admission.ts'
import { fixedBound } from '../../paid-call/hold.ts'
import type { Bound } from '../../paid-call/paid-request.ts'
import { Failure } from '../../request/failure.ts'
import { dialectFor } from '../../upstreams/endpoint.ts'
import type { VideoDependencies } from '../dependencies.ts'
import { requestOptions, unpricedWarnings } from './priced-options.ts'
import type { Draft } from './read.ts'

export type Prepared = {
  dialect: VideoDialectId
  call: VideoCall
  /** What the upstream cannot express. */
  warnings: string[]
  bound: Bound
  isExtensible: false
  /** What the upstream is asked for. */
  requested: Video
  /** What is held for. */
  heldFor: Video
  /** Settings that are sent though the request has none. */
  defaults: VideoSettings
  /** As it is sent. */
  serviceTier: string | undefined
}

/** What is the same for every candidate. `reference`: our id of the task. */
export type Submission = {
  request: VideoRequest
  draft: Draft | undefined
  reference: string
  /** What is fetched for an upstream counts as memory of the request. */
  slot: Pick<Slot, 'grow'>
}

/** Throws RequestError and Failure for what the upstream cannot express, or what cannot be fetched for it. */
export async function prepare(
  { request, draft, reference, slot }: Submission,
  offer: OfferOf<'video'>,
  candidate: CandidateOf<'video'>,
  deps: VideoDependencies,
): Promise<Prepared> {
  const { upstream } = candidate
  const dialect = dialectFor(upstream, 'video')
  if (dialect === undefined) throw new Error(`upstream ${upstream.id} makes no videos`)
  const service = VIDEO_SERVICES[dialect]
  // Other dialects are told nothing but settings, and say themselves what they leave out.
  const isSame = dialect === 'video-tasks'
  const { price } = offer.rate
  const chosen = requestOptions(isSame ? request : withoutOptions(request), price, draft)
  const readings = { ...readingsOf(request), options: chosen.options }
  const inherited = draft ? { ...readings, seconds: [...draft.seconds, ...readings.seconds] } : readings
  const limits = limitsFor(request, draft, offer)
  const heldFor = mostExpensive(inherited, limits, price)
  const amount = offer.rate.bound(heldFor)
  if (amount === undefined) throw new Failure('bad_request', NO_BOUND, { param: 'duration' })
  const sent = service.takesUrls ? request : await withoutUrls(request, slot, deps)
  const warnings: string[] = unpricedWarnings(chosen)
  const defaults = defaultsOf(limits)
  const call = service.submit(
    sent,
    {
      model: upstreamModel(request, candidate),
      defaults,
      reference,
      drop: chosen.drop,
      dropTools: chosen.dropTools,
      ...(draft ? { draftTask: draft.upstreamTask } : {}),
      warn: (field, reason) => warnings.push(`${field};${reason}`),
    },
    codec,
  )
  const requested = requestedVideo(inherited, limits)
  const { serviceTier } = chosen
  const bound = fixedBound(amount)
  return { dialect, call, warnings, bound, isExtensible: false, requested, heldFor, defaults, serviceTier }
}

const withoutOptions = ({ serviceTier: _, draft: __, generateAudio: ___, ...request }: VideoRequest): VideoRequest => ({
  ...request,
  tools: [],
  unknown: [],
})

const NO_BOUND = 'duration is required for this model: without it, the cost of the video is not known.'

type Limits = OfferOf<'video'>['model']['limits']

/**
 * The final of a draft inherits what it does not say from the draft, and a draft has the resolution that its vendor gives drafts:
 * so nothing is added to them, and the most expensive resolution is held for.
 */
function limitsFor(request: VideoRequest, draft: Draft | undefined, { model: { limits } }: OfferOf<'video'>): Limits {
  const { defaultResolution, defaultSeconds, ...open } = limits
  if (draft) return open
  return request.draft && defaultSeconds !== undefined ? { ...open, defaultSeconds } : request.draft ? open : limits
}

/** What is held for is also what is requested. */
function defaultsOf({ defaultResolution, defaultSeconds }: Limits): VideoSettings {
  return {
    ...(defaultResolution === undefined ? {} : { resolution: defaultResolution }),
    ...(defaultSeconds === undefined ? {} : { duration: defaultSeconds }),
  }
}

/** The embedded model's fault switches follow its name: `sandbox-video:fails`. */
function upstreamModel({ model }: VideoRequest, { upstream, route }: CandidateOf<'video'>): string {
  const colon = upstream.embedded ? model.indexOf(':') : -1
  return colon === -1 ? route.model : route.model + model.slice(colon)
}

async function withoutUrls(
  request: VideoRequest,
  slot: Submission['slot'],
  deps: VideoDependencies,
): Promise<VideoRequest> {
  // Other inputs than images are rejected without being fetched.
  const fields = new Map<string, string>()
  for (const { item, kind, source } of request.inputs)
    if (kind === 'image' && source.kind === 'url') fields.set(source.url, `content[${item}].image_url.url`)
  if (fields.size === 0) return request
  const fieldOf = (url: string) => fields.get(url) ?? 'content'
  const signal = AbortSignal.timeout(FETCH_WITHIN_MS)
  const options = { signal, fieldOf, grow: (bytes: number) => slot.grow(bytes) }
  const fetched = await fetchMedia(new Set(fields.keys()), options, deps)
  const inputs = request.inputs.map((input) => {
    const media = input.source.kind === 'url' ? fetched.get(input.source.url) : undefined
    if (!media) return input
    const source = {
      kind: 'inline' as const,
      mediaType: media.mime,
      base64: media.data,
      bytes: Math.floor((media.data.length * 3) / 4),
    }
    return { ...input, source }
  })
  return { ...request, inputs }
}

const FETCH_WITHIN_MS = 60_000
