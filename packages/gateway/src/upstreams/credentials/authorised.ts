// Sends a request with a credential, and once more with a newer one if the upstream rejects it as expired: nothing was billed.
import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { AboutToBeSent, CloudCredential } from './credential.ts'

/** Throws CredentialUnavailable: then nothing was sent. */
export async function sendAuthorised(
  credential: CloudCredential,
  request: AboutToBeSent,
  send: (headers: Record<string, string>) => Promise<UpstreamResponse>,
): Promise<UpstreamResponse> {
  const headers = await credential.headersFor(request)
  const reply = await send(headers)
  credential.noteDate(reply.header('date'))
  if (reply.status !== 401 && reply.status !== 403) return reply
  const { rejected, ...answer } = await readRejection(reply)
  const isNewer = rejected !== undefined && (await credential.renew(headers))
  if (!isNewer && rejected !== 'signature') return answer.reply
  reply.cancel()
  return await send(await credential.headersFor(request))
}

/** What AWS calls a credential that it takes no longer, and a signature that is too old. */
const CREDENTIAL = /ExpiredToken|UnrecognizedClient|InvalidClientTokenId|security token included in the request/
const SIGNATURE = /RequestExpired|Signature expired/
const SIGNATURE_OR_CREDENTIAL = /InvalidSignature|SignatureDoesNotMatch/

type Rejection = { reply: UpstreamResponse; rejected: 'credential' | 'signature' | undefined }

/** A 403 may mean that the identity lacks a right, which no renewal gives it. */
async function readRejection(reply: UpstreamResponse): Promise<Rejection> {
  if (reply.status === 401) return { reply, rejected: 'credential' }
  const { text, again } = await readBeginning(reply)
  const said = `${reply.header('x-amzn-errortype') ?? ''} ${text}`
  if (SIGNATURE.test(said)) return { reply: again, rejected: 'signature' }
  const isCredential = CREDENTIAL.test(said) || SIGNATURE_OR_CREDENTIAL.test(said)
  return { reply: again, rejected: isCredential ? 'credential' : undefined }
}

const MOST_BYTES = 64 * 1024

/** `again`: the same response, of which nothing has been read. */
async function readBeginning(reply: UpstreamResponse): Promise<{ text: string; again: UpstreamResponse }> {
  const pieces: Uint8Array[] = []
  let failure: { error: unknown } | undefined
  try {
    for (let length = 0; length < MOST_BYTES; ) {
      const piece = await reply.read()
      if (!piece) break
      pieces.push(piece)
      length += piece.length
    }
  } catch (error) {
    failure = { error }
  }
  const text = Buffer.concat(pieces).toString()
  const again: UpstreamResponse = {
    status: reply.status,
    header: (name) => reply.header(name),
    headerNames: () => reply.headerNames?.() ?? [],
    read() {
      const piece = pieces.shift()
      if (piece || !failure) return piece ?? reply.read()
      throw failure.error
    },
    cancel: () => reply.cancel(),
  }
  return { text, again }
}
