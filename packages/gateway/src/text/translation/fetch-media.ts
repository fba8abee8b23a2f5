// The content behind addresses in a prompt, for upstreams that take none.

import { classifyUrl } from '@trivium/http/addresses/url-guard.ts'
import { mediaOfMime, sniffMime } from '@trivium/protocol/canonical/media.ts'
import type { Source } from '@trivium/protocol/canonical/request.ts'
import { Failure } from '../../access/failure.ts'
import { type PublicContent, PublicFetchError } from '../../upstreams/fetch-public.ts'
import type { TranslationDependencies } from './outbound.ts'

export type Inline = Extract<Source, { kind: 'inline' }>
export type Fetched = (url: string) => Inline

const MAX_BYTES = 20 * 1024 * 1024
/** For all addresses of a request together: as much as a request with the media in it could have brought. */
const TOTAL_BYTES = 32 * 1024 * 1024
const TIMEOUT_MS = 15_000

/** One after the other: many at once could bring more than there is memory for before anybody has counted it. */
export async function fetchMedia(
  addresses: ReadonlySet<string>,
  { fetchPublic }: Pick<TranslationDependencies, 'fetchPublic'>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Inline>> {
  const fetched = new Map<string, Inline>()
  let left = TOTAL_BYTES
  for (const url of addresses) {
    // Chosen by a caller, and fetched from the gateway's own network: what `allow_private` lets an upstream fetch is another's.
    const options = { maxBytes: Math.min(MAX_BYTES, left), timeoutMs: TIMEOUT_MS, signal }
    const content = await fetchPublic(url, options).catch(refuse(url))
    left -= content.bytes.length
    fetched.set(url, inlineOf(url, content))
  }
  return fetched
}

/** Before anything is held: what is written in the address itself needs no resolver. Throws Failure. */
export function checkFetchable(url: string): void {
  if (classifyUrl(url) !== 'public') throw notUsable(url, new PublicFetchError('not_public').message)
}

function refuse(url: string): (error: unknown) => never {
  return (error) => {
    throw notUsable(url, error instanceof PublicFetchError ? error.message : 'It could not be fetched.')
  }
}

function inlineOf(url: string, { status, contentType, bytes }: PublicContent): Inline {
  if (status !== 200) throw notUsable(url, `Its host answered with status ${status}.`)
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  const mime = sniffMime(data) ?? contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!/^[a-z]+\/[a-z0-9.+-]+$/.test(mime) || (mediaOfMime(mime) === 'document' && mime !== 'application/pdf')) {
    throw notUsable(url, 'It is neither an image nor any other kind of media.')
  }
  return { kind: 'inline', mime, data }
}

/** The address is the caller's own, so it may be repeated; shortened, since it may be long. */
function notUsable(url: string, why: string): Failure {
  return new Failure('bad_request', `The content at ${url.slice(0, 200)} cannot be used: ${why}`, {
    param: 'image_url',
  })
}
