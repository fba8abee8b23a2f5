// Bodies of the console API are read before a request takes a slot: they are small, and one that arrives slowly must not keep
// others from signing in.
import type { BodyError } from '@trivium/http/bodies/body-error.ts'
import { JSON_BODY, readBody } from '@trivium/http/bodies/read-body.ts'
import type { HttpRequest } from '@trivium/http/request.ts'

export const LARGEST_BODY = 16 * 1024
/** For the whole body: a browser sends it in one piece. */
const WITHIN_MS = 5_000

type BodyDependencies = { after(ms: number, run: () => void): () => void }

export const readConsoleBody = async (
  http: Pick<HttpRequest, 'body' | 'headers'>,
  { after }: BodyDependencies,
): Promise<Uint8Array | BodyError> =>
  await readBody(http, {
    limitBytes: LARGEST_BODY,
    contentTypes: JSON_BODY,
    idleMs: WITHIN_MS,
    totalMs: WITHIN_MS,
    after,
  })
