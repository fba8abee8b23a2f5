// An image as the client wants it: in base64, or as a signed URL of the gateway's own.

import type { Base64, ReplyImage } from '@trivium/protocol/canonical/image.ts'
import { Failure } from '../access/failure.ts'
import { decodeBase64, encodeBase64 } from '../bytes/base64.ts'
import type { Retention } from '../config/types.ts'
import type { MediaStore } from '../media/media-store.ts'
import type { SignedAddresses } from '../media/signed-address.ts'
import type { fetchPublic } from '../upstreams/fetch-public.ts'
import type { ImageCall } from './image-call.ts'
import { inspectImage } from './inspect-image.ts'

export type PresentDependencies = {
  mediaStore: MediaStore
  addresses: SignedAddresses
  fetchPublic: typeof fetchPublic
  catalogue(): { config: { retention: Retention } }
}

const MAX_FETCHED_BYTES = 96 * 1024 * 1024
const FETCH_TIMEOUT_MS = 60_000
/** Where nothing is kept, a URL is still valid long enough to be fetched once. */
const SHORTEST_KEPT_MS = 10 * 60_000

/** A URL of the upstream's is not shown: it names the vendor and expires when the vendor likes. */
export async function present(image: ReplyImage, call: ImageCall, deps: PresentDependencies): Promise<ReplyImage> {
  const { responseFormat } = call.request
  const { base64, url, ...rest } = image
  if (base64 && responseFormat !== 'url') return { ...rest, base64 }
  const bytes = base64 ? undefined : await fetched(url ?? '', call, deps)
  if (bytes && responseFormat === 'b64_json') return { ...rest, base64: await encodedBytes(bytes) }
  return { ...rest, url: await stored(bytes ?? base64, call, deps) }
}

async function fetched(
  url: string,
  { attempt: { candidate } }: ImageCall,
  deps: PresentDependencies,
): Promise<Uint8Array> {
  const { upstream } = candidate
  const own = new URL(upstream.baseUrl).host
  try {
    const { bytes } = await deps.fetchPublic(url, {
      ...{ maxBytes: MAX_FETCHED_BYTES, timeoutMs: FETCH_TIMEOUT_MS, accept: 'image/*' },
      allowHost: (host, port) => own === host || own === `${host}:${port}`,
      allowPrivate: upstream.allowPrivate,
    })
    return bytes
  } catch (error) {
    throw new Failure('upstream_failed', 'The image of the upstream could not be fetched.', { detail: String(error) })
  }
}

async function encodedBytes(bytes: Uint8Array): Promise<Base64> {
  const pieces: Uint8Array[] = []
  for await (const piece of encodeBase64([bytes])) pieces.push(piece)
  return { pieces, length: pieces.reduce((sum, { length }) => sum + length, 0) }
}

async function stored(
  content: Uint8Array | Base64 | undefined,
  { caller }: ImageCall,
  { mediaStore, addresses, catalogue }: PresentDependencies,
): Promise<string> {
  const pieces = content instanceof Uint8Array ? [content] : [...decodeBase64(content?.pieces ?? [])]
  const { media } = catalogue().config.retention
  const keepMs = media === 'off' ? SHORTEST_KEPT_MS : media
  const found = pieces[0] && (await inspectImage(pieces[0], Number.POSITIVE_INFINITY))
  const contentType = typeof found === 'object' ? found.type : 'application/octet-stream'
  const object = await mediaStore.put(asyncOf(pieces), { owner: caller.account, contentType, keepMs })
  return addresses.signedAddress(object, keepMs)
}

async function* asyncOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}
