// JSON bodies of the console API and the admin API: small, and sent in one piece.
import { JSON_BODY, readBody } from '@trivium/http/bodies/read-body.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import type { ResponseHeaders } from '@trivium/http/response.ts'
import { ApiRejection } from './rejection.ts'

export const LARGEST_BODY = 16 * 1024
/** For the whole body. */
const WITHIN_MS = 5_000

/** Throws what a body that cannot be read deserves. */
export async function readSmallBody(
  { http, headers }: { http: Pick<HttpRequest, 'body' | 'headers'>; headers: ResponseHeaders },
  { after }: { after(ms: number, run: () => void): () => void },
  limitBytes = LARGEST_BODY,
): Promise<Uint8Array> {
  const limits = { limitBytes, contentTypes: JSON_BODY, idleMs: WITHIN_MS, totalMs: WITHIN_MS, after }
  const bytes = await readBody(http, limits)
  if (bytes instanceof Uint8Array) return bytes
  const { reason, message } = bytes
  // The rest of the body may still be on its way, perhaps forever.
  if (reason === 'request_too_large' || reason === 'request_timeout') headers.set('connection', 'close')
  throw new ApiRejection({ code: reason, message })
}

export const hasBody = ({ headers }: Pick<HttpRequest, 'headers'>): boolean =>
  headers.get('transfer-encoding') !== null || (headers.get('content-length') ?? '0') !== '0'

/** Deeper than any input. What works on it may be recursive. */
const DEEPEST = 64

export function parseJson(bytes: Uint8Array): unknown {
  const value = parsed(bytes)
  let level = [value]
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST)
      throw new ApiRejection({ code: 'bad_request', message: `The body has more than ${DEEPEST} levels.` })
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return value
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new ApiRejection({ code: 'bad_request', message: 'The body is not valid JSON.' })
  }
}
