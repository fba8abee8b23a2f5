// An image as the client wants it: in base64, or as a signed URL of the gateway's own.

import type { Base64, ReplyImage } from '@trivium/protocol/canonical/image.ts'
import { decodeBase64, encodeBase64 } from '../bytes/base64.ts'
import type { Retention } from '../config/sections/retention.ts'
import type { MediaStore } from '../media/media-store.ts'
import type { SignedUrls } from '../media/signed-urls.ts'
import { Failure } from '../request/failure.ts'
import { ownHostOf } from '../upstreams/own-host.ts'
import type { fetchPublic } from '../upstreams/public/fetch-public.ts'
import { PublicFetchError } from '../upstreams/public/public-fetch-error.ts'
import { type ImageCall, REPLY_BYTES } from './image-call.ts'
import { inspectImage } from './inspect-image.ts'

export type PresentDependencies = {
  mediaStore: MediaStore
  signedUrls: SignedUrls
  fetchPublic: typeof fetchPublic
  catalogue(): { config: { retention: Retention } }
}

const MAX_FETCHED_BYTES = 96 * 1024 * 1024
const FETCH_TIMEOUT_MS = 60_000
/** Where nothing is kept, a URL is still valid long enough to be fetched once. */
const SHORTEST_KEPT_MS = 10 * 60_000

/** Dimensions stand near the beginning, but pieces may be of any length. */
const BEGINNING_BYTES = 512 * 1024

/** A URL of the upstream's is not shown: it names the vendor and expires at a time that the gateway does not know. */
export async function present(image: ReplyImage, call: ImageCall, deps: PresentDependencies): Promise<ReplyImage> {
  const { responseFormat } = call.own.request
  const { base64, url, ...rest } = image
  if (base64 && responseFormat !== 'url') return { ...rest, base64 }
  if (base64) return { ...rest, url: await stored(() => decodeBase64(base64.pieces), call, deps) }
  // Clients demand base64 in every event.
  const isInline = responseFormat !== 'url'
  const room = isInline ? Math.floor(((REPLY_BYTES - call.own.heldBytes) / 4) * 3) : MAX_FETCHED_BYTES
  const bytes = await fetched(url ?? '', room, call, deps)
  if (!isInline) return { ...rest, url: await stored(() => [bytes], call, deps) }
  const encoded = await encodedBytes(bytes)
  call.own.heldBytes += encoded.length
  return { ...rest, base64: encoded }
}

/** As the image itself shows them. undefined: they cannot be read. */
export async function dimensionsOf({ base64 }: ReplyImage): Promise<string | undefined> {
  const found = await inspectImage(beginningOf(decodeBase64(base64?.pieces ?? [])), Number.POSITIVE_INFINITY)
  return typeof found === 'object' ? `${found.width}x${found.height}` : undefined
}

function beginningOf(content: Iterable<Uint8Array>): Uint8Array {
  const pieces: Uint8Array[] = []
  let length = 0
  for (const piece of content) {
    pieces.push(piece)
    length += piece.length
    if (length >= BEGINNING_BYTES) break
  }
  return Buffer.concat(pieces)
}

async function fetched(
  url: string,
  maxBytes: number,
  { attempt: { candidate }, upstreamCall }: ImageCall,
  deps: PresentDependencies,
): Promise<Uint8Array> {
  const { upstream } = candidate
  // The image is part of the upstream's answer: what is left of its time is left for the image, too.
  const timeoutMs = Math.min(FETCH_TIMEOUT_MS, upstreamCall.leftMs)
  upstreamCall.suspendIdle(true)
  const { status, bytes } = await deps
    .fetchPublic(url, {
      maxBytes,
      timeoutMs,
      accept: 'image/*',
      signal: upstreamCall.cancellation.signal,
      allowHost: ownHostOf(upstream),
      allowPrivate: upstream.allowPrivate,
    })
    .catch((error: unknown) => {
      const isOwn = error instanceof PublicFetchError && error.reason === 'timed_out' && timeoutMs < FETCH_TIMEOUT_MS
      throw isOwn || upstreamCall.reason === 'timeout' ? late() : notFetched(String(error))
    })
    .finally(() => upstreamCall.suspendIdle(false))
  if (status !== 200) throw notFetched(`status ${status}`)
  // A page about an expired link, for example, must not be charged as an image.
  if ((await inspectImage(bytes, Number.POSITIVE_INFINITY)) === undefined) throw notFetched('not an image')
  return bytes
}

const late = () => new Failure('upstream_timeout', 'The image could not be downloaded from the upstream in time.')

const notFetched = (detail: string) =>
  new Failure('upstream_error', 'The image could not be downloaded from the upstream.', { detail })

async function encodedBytes(bytes: Uint8Array): Promise<Base64> {
  const pieces: Uint8Array[] = []
  for await (const piece of encodeBase64([bytes])) pieces.push(piece)
  return { pieces, length: pieces.reduce((sum, { length }) => sum + length, 0) }
}

/** `open`: the content, which is decoded while it is stored. */
async function stored(
  open: () => Iterable<Uint8Array>,
  { caller }: ImageCall,
  { mediaStore, signedUrls, catalogue }: PresentDependencies,
): Promise<string> {
  const { media } = catalogue().config.retention
  const keepMs = media === 'off' ? SHORTEST_KEPT_MS : media
  const found = await inspectImage(beginningOf(open()), Number.POSITIVE_INFINITY)
  const contentType = typeof found === 'object' ? found.type : 'application/octet-stream'
  const object = await mediaStore.put(open(), { owner: caller.account, contentType, keepMs })
  return signedUrls.sign(object, keepMs)
}
