// Idempotency-Key on every POST of the admin API: the same request, sent again with the same key, is not performed again and gets the same
// response, for 24 hours. The key is claimed before the operation; the sealed response is kept when it has ended.
import { createHash } from 'node:crypto'
import { type HttpResponse, json } from '@trivium/http/response.ts'
import type { ApiErrorCode } from '../http-api/errors.ts'
import { ApiRejection } from '../http-api/rejection.ts'
import { openResponse, sealResponse } from '../paid-call/stored-response.ts'
import { formatRequestId } from '../request/ids.ts'
import type { Claim, Claimed } from '../storage/contents.ts'
import { type AdminActor, nameOf } from './credentials.ts'
import type { AdminDependencies } from './dependencies.ts'
import type { AdminCall, Rendered } from './routes.ts'

const DAY_MS = 24 * 3_600_000
const KEY = /^[\x21-\x7e]{1,255}$/
/** Keys of one person or admin key a day, on all nodes. */
const MOST_KEYS = 20_000
/** No request of the admin API takes longer. */
const RUNNING_MS = 60_000
const RETRY_SECONDS = 1

export const IDEMPOTENCY_KEY = 'idempotency-key'

/** What ended with success. */
export type Ended = { status: number; body: Rendered }

/** undefined: the request has no key. Throws 400. */
export function idempotencyKeyOf({ http, route }: AdminCall): string | undefined {
  const key = route.method === 'POST' ? http.headers.get(IDEMPOTENCY_KEY) : null
  if (key === null || KEY.test(key)) return key ?? undefined
  throw rejection('bad_request', 'Idempotency-Key must have 1 to 255 visible ASCII characters.')
}

/** Stands for an account where responses are kept; no account has such an id. Positive, since the rotation of the secret begins at 0. */
const shareOf = ({ type, id }: AdminActor): bigint => (1n << 62n) + id * 2n + (type === 'admin-key' ? 1n : 0n)

/** `mayRepeat`: the operation does the same thing once by itself, so it runs again if nobody knows how it ended. */
export async function once(
  key: string,
  { call, actor, bytes, mayRepeat }: { call: AdminCall; actor: AdminActor; bytes: Uint8Array; mayRepeat: boolean },
  work: () => Promise<Ended>,
  deps: AdminDependencies,
): Promise<HttpResponse> {
  const { contents, signIns } = deps.store
  const { http, headers, incoming } = call
  const claim: Claim = {
    account: shareOf(actor),
    key: createHash('sha256').update(key).digest(),
    fingerprint: createHash('sha256').update(`${http.method} ${http.target}\n`).update(bytes).digest(),
    id: incoming.id,
    ...deps.node.identity(),
  }
  const limit = { subject: `idempotency keys of ${nameOf(actor)}`, most: MOST_KEYS, windowMs: DAY_MS }
  let claimed = await contents.claim(claim)
  if (claimed.outcome === 'running' && mayRepeat && claimed.ageMs >= RUNNING_MS)
    claimed = await contents.claim(claim, claimed.first.id)
  if (claimed.outcome !== 'new') return replay(claim, claimed, call, deps)
  let ended: Ended
  try {
    const waitMs = await signIns.countAttempt([limit])
    if (waitMs !== undefined)
      throw rejection('too_many_tries', 'Too many idempotency keys in a day.', Math.ceil(waitMs / 1_000))
    ended = await work()
  } catch (error) {
    // A rejected request has changed nothing, and may be sent again; how others ended is not known.
    if (isRejection(error)) await contents.forget(claim)
    throw error
  }
  const body = Buffer.from(JSON.stringify(ended.body))
  const answer = sealResponse(claim, { headers: String(ended.status), body }, deps.accountCipher)
  await contents.keep(claim, { cost: 0n, keepMs: DAY_MS, answer })
  return json(ended.status, headers, ended.body)
}

const isRejection = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'OperationRejected' || error instanceof ApiRejection)

function replay(
  claim: Claim,
  claimed: Exclude<Claimed, { outcome: 'new' }>,
  { headers }: AdminCall,
  { accountCipher }: AdminDependencies,
): HttpResponse {
  const first = formatRequestId(claimed.outcome === 'running' ? claimed.first.id : claimed.first)
  headers.set('idempotent-request-id', first)
  if (claimed.outcome === 'mismatch')
    throw rejection('idempotency_mismatch', `This Idempotency-Key was used before, for another request (${first}).`)
  const isRunning = claimed.outcome === 'running' && claimed.ageMs < RUNNING_MS
  if (isRunning)
    throw rejection('conflict', `The request with this Idempotency-Key is still running (${first}).`, RETRY_SECONDS)
  const kept = claimed.outcome === 'finished' ? claimed.answer : undefined
  const answer = kept && openResponse(claim, kept, accountCipher)
  if (!answer)
    throw rejection(
      'conflict',
      `The result of the request with this Idempotency-Key is unknown (${first}). Check what it changed, then send a new key.`,
    )
  headers.set('idempotent-replayed', 'true')
  headers.set('content-type', 'application/json; charset=utf-8')
  return { status: Number(answer.headers), headers, body: answer.body }
}

const rejection = (code: ApiErrorCode, message: string, retryAfter?: number): ApiRejection =>
  new ApiRejection({ code, message, param: 'Idempotency-Key', retryAfter })
