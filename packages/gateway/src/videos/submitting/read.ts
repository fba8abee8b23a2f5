// Reads a request for a video and checks everything that can be decided before anything is held.

import type { VideoInput, VideoRequest } from '@trivium/protocol/canonical/video.ts'
import { urlsInUnread } from '@trivium/protocol/dialects/shared/pass-through/unread-fields.ts'
import { decodeVideoRequest } from '@trivium/protocol/dialects/video-tasks/request/decode-request.ts'
import { checkVideoLimits } from '@trivium/protocol/dialects/video-tasks/request/readings.ts'
import { offerForRequest } from '../../access/urls/url-names.ts'
import { checkCallbackUrl, foreignObjectError, withCandidates } from '../../access/urls/url-policy.ts'
import { isVisibleTo } from '../../access/visible-key.ts'
import { codec } from '../../bytes/codec.ts'
import type { Catalogue, OfferOf } from '../../catalogue/catalogue.ts'
import { billableVideo } from '../../endpoints/videos/modality/bound.ts'
import type { Kind, PaidRequest } from '../../paid-call/paid-request.ts'
import { Failure } from '../../request/failure.ts'
import { readJson } from '../../request/read-json.ts'
import type { Caller } from '../../storage/storage.ts'
import { decodeTaskRow, parseTaskId } from '../../tasks/task.ts'
import { hashOfKey } from '../../tasks/upstream.ts'
import type { VideoDependencies } from '../dependencies.ts'
import { thawPrice } from '../frozen-price.ts'
import type { VideoTaskData } from '../task.ts'

/** `draft`: the video that it is the final of, once that has been looked up. */
export type ReadVideoRequest = { video: VideoRequest; body: Uint8Array; draft: Draft | undefined }

export async function readRequest(
  { incoming, slot, catalogue }: PaidRequest<Kind>,
  deps: VideoDependencies,
): Promise<ReadVideoRequest> {
  const { bodyBytes } = catalogue.config.server.limits
  const parse = (body: Uint8Array) => ({ video: decodeVideoRequest(body, codec), body, draft: undefined })
  const request = await readJson(incoming.http, bodyBytes, slot, deps, parse)
  incoming.record.model = request.video.model
  return request
}

/** A video that was made as a draft, and where: only that upstream knows it. */
export type Draft = {
  upstream: string
  upstreamKey: string
  upstreamTask: string
  /** Its length. Empty: not known. */
  seconds: readonly number[]
  isSilent: boolean
}

/** The offer, reduced to the candidates that may get the request. Throws Failure and RequestError. */
export async function offerFor(
  request: VideoRequest,
  { offer, caller, catalogue }: { offer: OfferOf<'video'>; caller: Caller; catalogue: Catalogue },
  deps: VideoDependencies,
): Promise<{ offer: OfferOf<'video'>; draft: Draft | undefined }> {
  checkVideoLimits(request, offer.model.limits)
  const { callbackUrl } = request
  if (callbackUrl !== undefined) checkCallbackUrl(callbackUrl, catalogue.config.callbacks.allowPrivate)
  const named = request.inputs.flatMap(({ source, ...input }) =>
    source.kind === 'url' ? [{ field: fieldOf(input), url: source.url }] : [],
  )
  const urls = [...named, ...urlsInUnread(request.unknown)]
  const allowed = withoutAssets(await offerForRequest(offer, { urls }, caller, deps), request)
  const input = request.inputs.find(({ kind }) => kind === 'draft')
  if (!input) return { offer: allowed, draft: undefined }
  const draft = await draftOf(input, caller, deps)
  const isThere = ({ upstream, key }: { upstream: { id: string }; key: string }) =>
    upstream.id === draft.upstream && hashOfKey(key) === draft.upstreamKey
  const narrowed = withCandidates(allowed, isThere, [])
  if (narrowed.candidates.length === 0) throw unknownDraft(input)
  return { offer: narrowed, draft }
}

const fieldOf = ({ item, kind }: Pick<VideoInput, 'item' | 'kind'>): string =>
  kind === 'draft' ? `content[${item}].draft_task.id` : `content[${item}].${kind}_url.url`

/** An asset is stored at a vendor: a caller who knows its id could use another account's. */
function withoutAssets(offer: OfferOf<'video'>, { inputs }: VideoRequest): OfferOf<'video'> {
  const asset = inputs.find(({ source, kind }) => source.kind === 'asset' && kind !== 'draft')
  if (!asset) return offer
  const narrowed = withCandidates(offer, ({ upstream }) => upstream.sharedObjects, [])
  if (narrowed.candidates.length === 0) throw foreignObjectError(fieldOf(asset))
  return narrowed
}

async function draftOf(input: VideoInput, caller: Caller, { store }: VideoDependencies): Promise<Draft> {
  const id = input.source.kind === 'asset' ? parseTaskId(input.source.id) : undefined
  const row = id === undefined ? undefined : await store.tasks.find(id)
  if (!row || !isVisibleTo(caller, row) || row.state !== 'succeeded' || row.upstreamTask === undefined)
    throw unknownDraft(input)
  const { upstream, upstreamKey, data } = decodeTaskRow<VideoTaskData>(row)
  const { seconds, isSilent = false } = data.result
    ? billableVideo(data.result, data.requested, thawPrice(data.price).price)
    : data.requested
  const length = seconds === undefined ? [] : [seconds]
  return { upstream, upstreamKey, upstreamTask: row.upstreamTask, seconds: length, isSilent }
}

const unknownDraft = (input: VideoInput): Failure => {
  const message = `${fieldOf(input)} must be the id of a task of yours that has succeeded, at the same model.`
  return new Failure('bad_request', message, { param: fieldOf(input) })
}
