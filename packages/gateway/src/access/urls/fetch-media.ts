// Fetches the media behind URLs in a prompt, for upstreams that accept no URLs.

import { classifyUrl } from '@trivium/http/addresses/url-guard.ts'
import { NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
import { mediaOfMime, sniffMime } from '@trivium/protocol/canonical/media.ts'
import type { Source } from '@trivium/protocol/canonical/request.ts'
import { base64Length } from '@trivium/protocol/image-data/base64.ts'
import { bodyFailure, Failure } from '../../request/failure.ts'
import type { fetchPublic as fetchPublicUrl, PublicContent } from '../../upstreams/public/fetch-public.ts'
import { PublicFetchError } from '../../upstreams/public/public-fetch-error.ts'

export type Inline = Extract<Source, { kind: 'inline' }>
export type Fetched = (url: string) => Inline

export const MAX_BYTES = 20 * 1024 * 1024
/** For all URLs of a request together: as much as a request with inline media may have. */
export const TOTAL_BYTES = 32 * 1024 * 1024
export const TIMEOUT_MS = 15_000

export type FetchMediaOptions = {
  signal: AbortSignal
  /** Takes memory for so many bytes more. false: there is none. */
  grow(bytes: number): boolean
  /** For errors. */
  fieldOf?(url: string): string
}

/** One after the other: many at once could exceed the memory limit before they are counted. */
export async function fetchMedia(
  addresses: ReadonlySet<string>,
  { signal, grow, fieldOf = () => 'image_url' }: FetchMediaOptions,
  { fetchPublic }: { fetchPublic: typeof fetchPublicUrl },
): Promise<ReadonlyMap<string, Inline>> {
  const fetched = new Map<string, Inline>()
  let left = TOTAL_BYTES
  for (const url of addresses) {
    // The URL is chosen by a caller and fetched from the gateway's own network, so `allow_private` of an upstream does not apply.
    const options = { maxBytes: Math.min(MAX_BYTES, left), timeoutMs: TIMEOUT_MS, signal }
    const content = await fetchPublic(url, options).catch(rejectUrl(url, fieldOf(url)))
    left -= content.bytes.length
    // In base64, and once more in the body that is sent.
    if (!grow(2 * base64Length(content.bytes.length))) throw bodyFailure(NO_MEMORY)
    fetched.set(url, inlineOf(url, fieldOf(url), content))
  }
  return fetched
}

/** Before the hold: checks what can be decided without a DNS lookup. Throws Failure. */
export function checkFetchable(url: string, field = 'image_url'): void {
  if (classifyUrl(url) !== 'public') throw notUsable(url, field, new PublicFetchError('not_public').message)
}

function rejectUrl(url: string, field: string): (error: unknown) => never {
  return (error) => {
    throw notUsable(url, field, error instanceof PublicFetchError ? error.message : 'It could not be fetched.')
  }
}

function inlineOf(url: string, field: string, { status, contentType, bytes }: PublicContent): Inline {
  if (status !== 200) throw notUsable(url, field, `Its host answered with status ${status}.`)
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  const mime = sniffMime(data) ?? contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!/^[a-z]+\/[a-z0-9.+-]+$/.test(mime) || (mediaOfMime(mime) === 'document' && mime !== 'application/pdf')) {
    throw notUsable(url, field, 'It is neither an image nor any other kind of media.')
  }
  return { kind: 'inline', mime, data }
}

/** The URL is the caller's own, so it may be repeated; shortened, since it may be long. */
function notUsable(url: string, param: string, why: string): Failure {
  return new Failure('bad_request', `The content at ${url.slice(0, 200)} cannot be used: ${why}`, { param })
}
