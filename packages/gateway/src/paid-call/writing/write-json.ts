// The unstreamed response of a paid call: it leaves once it has been settled.

import type { HttpResponse, StreamedBody } from '@trivium/http/response.ts'
import { writePieces } from '@trivium/http/write-pieces.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { freeMemory } from '../../bytes/free-memory.ts'
import type { UnsentResponses } from '../../overload/unsent-responses.ts'
import type { PaidRequest } from '../paid-request.ts'
import { showWarnings } from '../warnings.ts'

type Call = Pick<PaidRequest, 'headers' | 'attempt' | 'caller'>

/** Made before the settlement, which may store the headers with the body; it leaves after it. */
export function jsonResponse(
  { headers, attempt }: Call,
  body: Uint8Array,
  contentType = 'application/json',
): HttpResponse {
  headers.set('content-type', contentType)
  // Once more: what the response had to drop is known only now.
  showWarnings(attempt.warnings, headers)
  return { status: 200, headers, body }
}

/** A response that may be large, in the pieces that it was received in. */
export async function writeLargeJson(
  call: Call,
  body: Pieces,
  settle: () => Promise<unknown>,
  { unsentResponses }: { unsentResponses: UnsentResponses },
  contentType?: string,
): Promise<HttpResponse> {
  const response = jsonResponse(call, NOTHING, contentType)
  await settle()
  return { ...response, body: unsentBody([...body], call.caller.account, unsentResponses) }
}

const NOTHING = new Uint8Array(0)

/** Refers to nothing but what is unsent: a slow client keeps neither the request nor what it has read in memory. */
function unsentBody(pieces: Uint8Array[], account: bigint, { open }: UnsentResponses): StreamedBody {
  return {
    async run(sink) {
      const unsent = open(account, () => sink.abort?.())
      let left = pieces.reduce((sum, { length }) => sum + length, 0)
      function* taken() {
        for (let piece = pieces.shift(); piece; piece = pieces.shift()) {
          yield piece
          left -= piece.length
        }
      }
      try {
        return await writePieces(taken(), sink, {
          drained(blocked) {
            unsent.weigh(left)
            return blocked
          },
        })
      } finally {
        unsent.end()
        pieces.length = 0
        freeMemory()
      }
    },
  }
}
