// Idempotency-Key: the same request, sent again with the same key, is answered again and not charged again.
//
// The key is claimed before the hold, for this request's id. The claim is resolved when the request ends, after the ledger has
// recorded the outcome. If the claiming process died in between, the ledger decides: only it knows whether that request was
// charged. docs/use/idempotency.md has the rules.
import { createHash } from 'node:crypto'
import type { HttpResponse, ResponseHeaders, StreamedBody } from '@trivium/http/response.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import type { AccountCipher } from '../access/secrets/account-cipher.ts'
import type { Retention } from '../config/sections/retention.ts'
import { formatUsd, type Nanos } from '../money/amount.ts'
import { HELD, isDone, REPETITION_BEGINS_WITHIN_MS } from '../money/ledger.ts'
import type { Log } from '../observe/log.ts'
import type { ApiRequest } from '../request/api-request.ts'
import { Failure } from '../request/failure.ts'
import { formatRequestId } from '../request/ids.ts'
import type { Claim, Claimed, KeptAnswer } from '../storage/contents.ts'
import type { Node } from '../storage/node/node.ts'
import { type Caller, type Storage, StoreDown } from '../storage/storage.ts'
import type { ClaimLimit } from './claim-limit.ts'
import { unavailable } from './hold-errors.ts'
import { DELIVERED, type Outcome } from './outcome.ts'
import { openResponse, sealResponse } from './stored-response.ts'
import { UNBUFFERED } from './writing/stream-headers.ts'

export const IDEMPOTENCY_KEY = 'idempotency-key'

/** Claims, and the ledger that decides about abandoned ones. */
export type ClaimStore = Pick<Storage, 'contents' | 'ledger'>

export type ClaimDependencies = {
  store: ClaimStore
  node: Pick<Node, 'identity'>
  claimLimit: ClaimLimit
  accountCipher: AccountCipher
  ticker: Pick<Ticker, 'after'>
  log: Log
  /** For what fails with every request while the store is down. */
  outageLog: Log
  /** Absent: large responses are not stored. */
  largeResponses?: LargeResponses
}

/** Where responses with images are stored: they are too large for the database. */
export type LargeResponses = {
  /** Resolves with the id of what is stored. */
  keep(account: bigint, body: Pieces, keepMs: number): Promise<string>
  /** undefined: it does not exist any more. */
  open(account: bigint, id: string): Promise<StreamedBody | undefined>
}

/** An idempotency key that belongs to this request until it ends. */
export type KeyClaim = {
  claim: Claim
  keepMs: number
  /** Monotonic time before the claim was sent to the store. */
  claimedFrom: number
  /** The hold is granted: from now on the outcome of the request decides. */
  isHeld: boolean
  /** The request whose place this one has taken, and whose owner may still return; 0: there is none. */
  repeats: bigint
}

const KEY = /^[\x21-\x7e]{1,255}$/
/** Larger responses are not stored: a repeated request gets 409. */
const LARGEST_KEPT_BYTES = 1024 * 1024
/** In place of a header: where the body is, if it is not stored in the database. */
const STORED_AS = ':stored-as'
/** Headers that are stored with the response. */
const KEPT_HEADERS = ['content-type', UNBUFFERED, 'x-trivium-warnings', 'x-sandbox']

/**
 * The hold must be granted this soon after the claim, or the request fails. A claim without a hold that is three times as old
 * is abandoned for certain, even if its process was only frozen.
 */
const HOLD_WITHIN_MS = REPETITION_BEGINS_WITHIN_MS / 3
const ABANDONED_AFTER_MS = REPETITION_BEGINS_WITHIN_MS
/** The owner of a settled request stores its response within this time, unless it died. */
const KEEPING_MS = 500
/** The client waits for its last byte meanwhile, so storing may take no longer. */
const KEEP_WITHIN_MS = 2_000
const RUNNING_RETRY_SECONDS = 2

export type KeyedRequest = {
  incoming: ApiRequest
  caller: Caller
  /** What decides, with the body, what the response is and in which form. */
  endpoint: string
  body: Uint8Array
  idempotencyKey: string
  warnings: string[]
  /** Set when a limit rejected the caller a moment ago: then only a stored response is served. */
  rateLimited: Failure | undefined
  /**
   * The response of the first request where it outlives its process, as that of a task, even if it was not stored. undefined:
   * there is none (yet).
   */
  resume?: ((first: bigint) => Promise<Uint8Array | undefined>) | undefined
}

/** Resolves with the claim, or with the stored response of the first request; throws 409 and 422. */
export async function claim(
  keyed: KeyedRequest,
  retention: Retention,
  deps: ClaimDependencies,
): Promise<KeyClaim | HttpResponse | undefined> {
  const { incoming, caller, idempotencyKey } = keyed
  if (!KEY.test(idempotencyKey)) {
    const message = 'The header Idempotency-Key takes 1 to 255 visible ASCII characters, without spaces.'
    throw new Failure('bad_request', message, { param: 'Idempotency-Key' })
  }
  const keepMs = retention.idempotency
  if (keepMs === 'off') {
    if (keyed.rateLimited) throw keyed.rateLimited
    keyed.warnings.push(`${IDEMPOTENCY_KEY};off`)
    return undefined
  }
  const own: Claim = {
    id: incoming.id,
    ...deps.node.identity(),
    account: caller.account,
    key: createHash('sha256').update(idempotencyKey).digest(),
    fingerprint: fingerprintOf(keyed),
  }
  try {
    const rejection = keyed.rateLimited ?? deps.claimLimit.rejection(caller.account, keepMs)
    if (rejection) return await replayOrReject(own, rejection, incoming.responseHeaders, deps)
    return await decide(own, keepMs, keyed, deps)
  } catch (error) {
    const request = formatRequestId(own.id)
    if (error instanceof StoreDown)
      deps.outageLog.error('idempotency key not claimed', { request, error: String(error) })
    throw error
  }
}

/** Whether the account has used this key before, for whatever request: what is repeated may cost nothing. */
export async function isClaimed(
  idempotencyKey: string,
  { id }: Pick<ApiRequest, 'id'>,
  { account }: Caller,
  { store, node }: Pick<ClaimDependencies, 'store' | 'node'>,
): Promise<boolean> {
  const key = createHash('sha256').update(idempotencyKey).digest()
  const { outcome } = await store.contents.find({ id, ...node.identity(), account, key, fingerprint: key })
  return outcome !== 'new'
}

/** The same for the same request, whichever key of the account sends it. */
const fingerprintOf = ({ endpoint, body }: KeyedRequest): Uint8Array =>
  createHash('sha256').update(`${endpoint}\n`).update(body).digest()

/** Nothing is written for a request that a limit rejects: there may be a storm of them. */
async function replayOrReject(
  claim: Claim,
  rejection: Failure,
  headers: ResponseHeaders,
  deps: ClaimDependencies,
): Promise<HttpResponse> {
  const { store } = deps
  const known = await store.contents.find(claim)
  if (known.outcome !== 'finished' || !known.answer) throw rejection
  const again = await replay(claim, known.first, known.answer, headers, deps)
  if (!again) throw rejection
  return again
}

async function decide(
  claim: Claim,
  keepMs: number,
  { incoming: { responseHeaders: headers }, resume }: KeyedRequest,
  deps: ClaimDependencies,
): Promise<KeyClaim | HttpResponse> {
  const { store } = deps
  let claimedFrom = performance.now()
  let repeats = 0n
  let claimed = await store.contents.claim(claim)
  const resumed = await resumedFrom(claimed, headers, resume)
  if (resumed) return resumed
  if (claimed.outcome === 'running') {
    // What the ledger remembers of a repetition is for one whose hold follows soon.
    claimedFrom = performance.now()
    const fate = await stateOfFirst(claimed, claim, store)
    if (typeof fate === 'bigint') {
      repeats = fate
      claimed = await store.contents.claim(claim, claimed.first.id)
    } else if (fate !== 'running') claimed = await storedOrLost(claim, claimed.first.id, fate.cost, store)
  }
  if (claimed.outcome === 'new') {
    deps.claimLimit.count(claim.account)
    return { claim, keepMs, claimedFrom, isHeld: false, repeats }
  }
  const again =
    claimed.outcome === 'finished' && claimed.answer
      ? await replay(claim, claimed.first, claimed.answer, headers, deps)
      : undefined
  if (again) return again
  throw claimError(claimed, headers)
}

/** undefined: the first request has no response that outlives it, or a stored one. */
async function resumedFrom(
  claimed: Claimed,
  headers: ResponseHeaders,
  resume: KeyedRequest['resume'],
): Promise<HttpResponse | undefined> {
  const isLost = claimed.outcome === 'running' || (claimed.outcome === 'finished' && !claimed.answer)
  if (!isLost || !resume) return undefined
  const first = claimed.outcome === 'running' ? claimed.first.id : claimed.first
  const body = await resume(first)
  if (!body) return undefined
  headers.set('content-type', 'application/json')
  return { status: 200, headers: markReplayed(headers, first), body }
}

function markReplayed(headers: ResponseHeaders, first: bigint): ResponseHeaders {
  headers.set('idempotent-replayed', 'true')
  headers.set('idempotent-request-id', formatRequestId(first))
  return headers
}

/** What the ledger knows of the first request, which claims to be running. An id: it was abandoned (KeyClaim.repeats). */
async function stateOfFirst(
  { first, ageMs }: Extract<Claimed, { outcome: 'running' }>,
  { account, id: by }: Claim,
  store: ClaimStore,
): Promise<'running' | bigint | { cost: Nanos }> {
  const row = await store.ledger.findRequest(account, first.id)
  // Between its claim and its hold a request has no row.
  if (!row && ageMs < ABANDONED_AFTER_MS) return 'running'
  if (row?.state === HELD) return 'running'
  if (row && isAnswered(row.outcome, row.cost)) return { cost: row.cost }
  // Its owner may come back and settle it after all: the ledger then knows who has to pay.
  const result = await store.ledger.apply({ verb: 'take_over', id: first.id, by })
  if (!isDone(result)) return 'running'
  return result.verdict === 'repeated' ? { cost: result.amount } : result.amount
}

/** The request was answered or charged: it must not run again. */
const isAnswered = (outcome: string, charged: Nanos): boolean =>
  charged > 0n || DELIVERED.some((delivered) => delivered === outcome)

/** Charged, but not stored: its owner is about to store it, or has died. */
async function storedOrLost(claim: Claim, first: bigint, cost: Nanos, { contents }: ClaimStore): Promise<Claimed> {
  await Bun.sleep(KEEPING_MS)
  const claimed = await contents.claim(claim)
  if (claimed.outcome !== 'running' || claimed.first.id !== first) return claimed
  return { outcome: 'finished', first, cost, answer: undefined }
}

/** undefined: the stored response cannot be read. It was charged, so the request does not run again. */
async function replay(
  claim: Claim,
  first: bigint,
  sealed: KeptAnswer,
  headers: ResponseHeaders,
  { accountCipher, log, largeResponses }: ClaimDependencies,
): Promise<HttpResponse | undefined> {
  const answer = openResponse(claim, sealed, accountCipher)
  if (!answer) {
    log.error('stored response cannot be decrypted', { request: formatRequestId(first) })
    return undefined
  }
  const { [STORED_AS]: id, ...kept } = JSON.parse(answer.headers) as Record<string, string>
  const body = id === undefined ? answer.body : await largeResponses?.open(claim.account, id)
  if (!body) return undefined
  for (const [name, value] of Object.entries(kept)) headers.set(name, value)
  return { status: 200, headers: markReplayed(headers, first), body }
}

function claimError(claimed: Exclude<Claimed, { outcome: 'new' }>, headers: ResponseHeaders): Failure {
  const id = formatRequestId(claimed.outcome === 'running' ? claimed.first.id : claimed.first)
  headers.set('idempotent-request-id', id)
  const param = 'Idempotency-Key'
  if (claimed.outcome === 'mismatch') {
    const message = `This Idempotency-Key was used before, for another request (${id}). Send a new key with a new request.`
    return new Failure('idempotency_mismatch', message, { param })
  }
  if (claimed.outcome === 'running') {
    const message = `The request with this Idempotency-Key is still running (${id}). Try again when it has ended.`
    return new Failure('conflict', message, { param, retryAfter: RUNNING_RETRY_SECONDS })
  }
  // A retry would fail again, and clients retry a 409 by themselves.
  headers.set('x-should-retry', 'false')
  const ended = `The request with this Idempotency-Key has ended (${id}, charged ${formatUsd(claimed.cost)} USD)`
  const why = claimed.answer
    ? 'its stored response can no longer be read'
    : 'its response was not stored: only unstreamed ones of up to 1 MiB are'
  const message = `${ended}, and ${why}. Send a new key to ask again.`
  return new Failure('conflict', message, { param })
}

/** The hold is granted. Throws if that took so long that another request may have taken over the claim. */
export function confirmClaim(key: KeyClaim): void {
  if (performance.now() - key.claimedFrom >= HOLD_WITHIN_MS) throw unavailable()
  key.isHeld = true
}

/** The request failed before its hold: the key is free again. */
export function releaseClaim(key: KeyClaim, deps: ClaimDependencies): Promise<void> {
  return key.isHeld ? Promise.resolve() : freeKey(key, deps)
}

/** The next request with the key may run. If this one repeated another, the next one repeats it, too. */
function freeKey({ claim, repeats }: KeyClaim, deps: ClaimDependencies): Promise<void> {
  const { contents } = deps.store
  return withinTime(claim, deps, async () => {
    if (repeats === 0n) await contents.forget(claim)
    else await contents.claim({ ...claim, id: repeats }, claim.id)
  })
}

export type End = {
  outcome: Outcome
  charged: Nanos
  headers: ResponseHeaders
  /** Pieces: of a response that may be large. */
  body: Uint8Array | Pieces | undefined
}

/** The ledger has recorded the outcome. Errors are not stored: if nothing was charged, the next request may try. */
export function endClaim(key: KeyClaim, end: End, deps: ClaimDependencies): Promise<void> {
  const { claim, keepMs } = key
  const { contents } = deps.store
  if (!end.body && !isAnswered(end.outcome, end.charged)) return freeKey(key, deps)
  return withinTime(claim, deps, async () => {
    const stored = await storedResponse(claim, end, keepMs, deps)
    const answer = stored && sealResponse(claim, stored, deps.accountCipher)
    const isKept = await contents.keep(claim, { cost: end.charged, keepMs, answer })
    if (!isKept)
      deps.log.warn('idempotency key was taken over by another request', { request: formatRequestId(claim.id) })
  })
}

/** undefined: it is too large. */
async function storedResponse(
  { account }: Claim,
  { headers, body = [] }: End,
  keepMs: number,
  { largeResponses }: ClaimDependencies,
): Promise<KeptAnswer | undefined> {
  const own = KEPT_HEADERS.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  const pieces = body instanceof Uint8Array ? [body] : body
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  if (length === 0) return undefined
  if (length <= LARGEST_KEPT_BYTES) {
    return { headers: JSON.stringify(Object.fromEntries(own)), body: Buffer.concat(pieces) }
  }
  if (body instanceof Uint8Array || !largeResponses) return undefined
  const id = await largeResponses.keep(account, pieces, keepMs)
  return { headers: JSON.stringify(Object.fromEntries([...own, [STORED_AS, id]])), body: NOTHING }
}

const NOTHING = new Uint8Array(0)

/** The response is paid for: a failing or slow store does not keep it from the client. */
function withinTime({ id }: Claim, { ticker, outageLog }: ClaimDependencies, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const callOff = ticker.after(KEEP_WITHIN_MS, resolve)
    work()
      .catch((error) => outageLog.error('response not stored', { request: formatRequestId(id), error: String(error) }))
      .finally(() => {
        callOff()
        resolve()
      })
  })
}
