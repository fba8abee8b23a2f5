// JSON bodies of the console API and the admin API: small, and sent in one piece.
import type { BodyError } from '@trivium/http/bodies/body-error.ts'
import { JSON_BODY, readBody } from '@trivium/http/bodies/read-body.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import { ApiRejection } from './rejection.ts'

export const LARGEST_BODY = 16 * 1024
/** For the whole body. */
const WITHIN_MS = 5_000

export const readSmallBody = async (
  http: Pick<HttpRequest, 'body' | 'headers'>,
  { after }: { after(ms: number, run: () => void): () => void },
  limitBytes = LARGEST_BODY,
): Promise<Uint8Array | BodyError> =>
  await readBody(http, {
    limitBytes,
    contentTypes: JSON_BODY,
    idleMs: WITHIN_MS,
    totalMs: WITHIN_MS,
    after,
  })

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
