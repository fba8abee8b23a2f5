// The request as one upstream gets it: path, content type and a body whose images are read from disk while it is sent.

import type { ImageRequest, ImageSource } from '@trivium/protocol/canonical/image.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import {
  type EncodedImageRequest,
  type ImageBodyPart,
  type ImageTarget,
  partLength,
} from '@trivium/protocol/dialects/image-service.ts'
import { IMAGE_SERVICES, type ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import type { PassThroughEdits } from '@trivium/protocol/dialects/pass-through.ts'
import { joinEdits } from '@trivium/protocol/dialects/shared/pass-through/request.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { rejectObjects, removeUnpriced } from '../access/tenant-policy.ts'
import { decodeBase64, encodeBase64 } from '../bytes/base64.ts'
import { codec } from '../bytes/codec.ts'
import type { CandidateOf } from '../catalogue/catalogue.ts'
import { readFile } from '../media/media-store.ts'
import { streamedUpload, type UploadPart } from '../media/streamed-upload.ts'
import { baseModelOf } from '../modalities/modality.ts'
import type { Caller } from '../storage/storage.ts'
import { dialectFor, imagesEndpointOf, responseFormatFor, upstreamPath } from '../upstreams/endpoint.ts'
import type { StreamedUpload } from '../upstreams/send.ts'
import type { ImageDependencies } from './dependencies.ts'
import { type PassableRequest, type Passing, passes } from './passing/passable.ts'

export type UpstreamRequest = {
  dialect: ImageDialectId
  path: string
  contentType: string
  body: Pieces | StreamedUpload
  stream: boolean
  /** What the upstream cannot express, in the caller's field names. */
  warnings: readonly string[]
  /** The body is the caller's own, and the reply is for the caller. */
  isPassed?: true
}

/** `n`: how many images this call is for. Throws RequestError for what the upstream cannot express. */
export function upstreamRequest(
  request: PassableRequest,
  candidate: CandidateOf<'image'>,
  caller: Caller,
  n: number,
  deps: ImageDependencies,
): UpstreamRequest {
  const { upstream, route } = candidate
  const dialect = dialectFor(upstream, 'image')
  if (dialect === undefined) throw new Error(`upstream ${upstream.id} serves no images`)
  const { passing } = request
  const model = upstreamModel(request, candidate)
  // Images that another upstream has made can only be continued by a translation.
  if (passing && passes(request, candidate) && n === request.n) return passedRequest(passing, candidate, model)
  if (passing?.untranslatable) throw passing.untranslatable
  const service = IMAGE_SERVICES[dialect]
  const endpoint = imagesEndpointOf(upstream)
  // Where there is nothing to see before the end, a stream would only be another form of it.
  const stream = request.stream && service.hasPartialImages && !(dialect === 'images' && endpoint.hasOwnStreams)
  const warnings: string[] = [...(passing?.dropped ?? [])]
  const encoded = service.encodeRequest(
    request,
    {
      model,
      stream,
      n,
      boundary: boundary(),
      responseFormat: responseFormatFor(upstream, baseModelOf(route)),
      ...settingsOf(candidate),
      ...endUserFor(request, candidate, caller, deps),
      warn: (field, reason) => addWarning(warnings, field, reason),
    },
    codec,
  )
  const isEdit = request.operation === 'edit'
  const path =
    dialect === 'images'
      ? ((isEdit ? endpoint.edits : undefined) ?? endpoint.generations)
      : upstreamPath(upstream, dialect, route.model, stream)
  const { contentType } = encoded
  return { dialect, path, contentType, stream, warnings, body: bodyOf(encoded) }
}

type Settings = Pick<ImageTarget, 'editsAsJson' | 'lacks' | 'makesSeries'>

/** How an upstream of the images dialect differs from others. */
function settingsOf({ upstream }: CandidateOf<'image'>): Settings {
  const { edits, lacks = [], makesSeries = false } = imagesEndpointOf(upstream)
  return { editsAsJson: edits === undefined, lacks, makesSeries }
}

/** Whether the upstream fetches images to edit by itself. */
export function takesUrls(candidate: CandidateOf<'image'>): boolean {
  const dialect = dialectFor(candidate.upstream, 'image')
  return dialect !== undefined && IMAGE_SERVICES[dialect].takesUrls(settingsOf(candidate))
}

/** The embedded model's fault switches follow its name: `sandbox-image:no-image`. */
function upstreamModel({ model }: ImageRequest, { upstream, route }: CandidateOf<'image'>): string {
  const colon = upstream.embedded ? model.indexOf(':') : -1
  return colon === -1 ? route.model : route.model + model.slice(colon)
}

/** A vendor sees a pseudonym in place of the caller's end user. */
function endUserFor(
  { user }: ImageRequest,
  { upstream: { embedded, sharedObjects } }: CandidateOf<'image'>,
  { account }: Caller,
  { accountCipher }: ImageDependencies,
): { endUser?: string } {
  if (user === undefined || embedded || sharedObjects) return {}
  return { endUser: accountCipher.pseudonym(account, 'end users', user) }
}

const boundary = (): string => `trivium${crypto.randomUUID().replaceAll('-', '')}`

function bodyOf({ body }: EncodedImageRequest): Pieces | StreamedUpload {
  const isBytes = body.every((part) => part instanceof Uint8Array)
  return isBytes ? (body as Pieces) : streamedUpload(body.map(uploadPart))
}

function uploadPart(part: ImageBodyPart): UploadPart {
  if (part instanceof Uint8Array) return part
  const content = () => contentOf(part.image.source)
  return { length: partLength(part), open: part.as === 'bytes' ? content : () => encodeBase64(content()) }
}

async function* contentOf(source: ImageSource): AsyncGenerator<Uint8Array> {
  if (source.kind === 'file') yield* readFile(source.handle)
  else if (source.kind === 'inline') yield* decodeBase64([codec.encode(source.base64)])
  else throw new Error('an image was not fetched before it was sent')
}

/** `model`: its name at the upstream. Throws Failure for what callers may not ask of an upstream that they share. */
function passedRequest({ dialect, facts }: Passing, { upstream }: CandidateOf<'image'>, model: string) {
  rejectObjects(facts, upstream.sharedObjects)
  const warnings: string[] = []
  // An image has a price, and what a model of text may be asked for besides has none.
  const { edits, unpriced } = removeUnpriced(facts.priced, never, never)
  for (const field of unpriced) addWarning(warnings, field, 'no-price')
  const own: PassThroughEdits = { model }
  if (facts.storing && !upstream.sharedObjects) {
    own.remove = facts.storing
    for (const field of facts.storing) addWarning(warnings, field, 'dropped')
  }
  return {
    dialect,
    path: upstreamPath(upstream, dialect, model, facts.stream),
    contentType: 'application/json',
    stream: facts.stream,
    warnings,
    body: facts.edited(joinEdits([...edits, own])),
    isPassed: true as const,
  }
}

const never = (): boolean => false
