// Idempotency-Key: the same request, sent again with the same key, is answered again and not charged again.
//
// The key is claimed before anything is held, in the name of this request's id, and what becomes of the claim is decided
// where the request ends, after the ledger has it. A claim whose process died in between is judged by the ledger: it
// alone knows whether that request was charged. docs/idempotency.md has the rules.
import { createHash } from 'node:crypto'
import type { HttpResponse, ResponseHeaders } from '@trivium/http/response.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { AccountSecrets } from '../access/account-secrets.ts'
import { Failure } from '../access/failure.ts'
import { formatRequestId } from '../access/ids.ts'
import type { IncomingRequest } from '../access/incoming-request.ts'
import type { Retention } from '../config/types.ts'
import { formatUsd, type Nanos } from '../money/amount.ts'
import { HELD, REAPED } from '../money/ledger.ts'
import type { Log } from '../observe/log.ts'
import type { Claim, Claimed, KeptAnswer } from '../storage/contents.ts'
import type { Node } from '../storage/node.ts'
import type { OpenRequest } from '../storage/settle.ts'
import { type Caller, type Storage, StoreDown } from '../storage/storage.ts'
import { unavailable } from './hold-errors.ts'
import { DELIVERED, type Outcome } from './outcome.ts'
import { openAnswer, sealAnswer } from './stored-response.ts'

export const IDEMPOTENCY_KEY = 'idempotency-key'

/** What claims and judges keys. */
export type ClaimStore = Pick<Storage, 'contents' | 'ledger'>

export type ClaimDependencies = {
  store: ClaimStore
  node: Pick<Node, 'identity'>
  accountKeys: AccountSecrets
  ticker: Pick<Ticker, 'after'>
  log: Log
}

/** A key that is this request's until its end. */
export type KeyClaim = {
  claim: Claim
  keepMs: number
  /** On the monotonic clock, before the store was asked. */
  claimedFrom: number
  /** There is a hold: from now on the end of the request decides. */
  isHeld: boolean
}

const KEY = /^[\x21-\x7e]{1,255}$/
/** Larger answers are not kept: a second one gets 409. */
const LARGEST_KEPT_BYTES = 1024 * 1024
/** Headers that belong to the answer itself, and not to the request that it answers. */
const KEPT_HEADERS = ['content-type', 'x-trivium-warnings', 'x-sandbox']

/**
 * A hold must stand this soon after the claim, or the request is given up. A claim without one that is three times as
 * old is nobody's any more, not even a frozen process's that is about to wake up.
 */
const HOLD_WITHIN_MS = 10_000
const ABANDONED_AFTER_MS = 3 * HOLD_WITHIN_MS
/** The owner of a settled request is about to keep its answer, unless it died in between. */
const KEEPING_MS = 500
/** The client waits for its last byte meanwhile. */
const KEEP_WITHIN_MS = 2_000
const RUNNING_RETRY_SECONDS = 2

export type KeyedRequest = {
  incoming: IncomingRequest
  caller: Caller
  /** What decides, with the body, what is asked and in which form it is answered. */
  endpoint: string
  body: Uint8Array
  idempotencyKey: string
  warnings: string[]
  /** Set when a limit rejected the caller a moment ago: then only a stored response can be had. */
  rateLimited: Failure | undefined
}

/** Resolves with the claim, or with the answer that this request has had before; throws 409 and 422. */
export async function claim(
  keyed: KeyedRequest,
  retention: Retention,
  dependencies: ClaimDependencies,
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
    ...{ id: incoming.id, ...dependencies.node.identity(), account: caller.account },
    key: createHash('sha256').update(idempotencyKey).digest(),
    fingerprint: fingerprintOf(keyed),
  }
  try {
    if (keyed.rateLimited) return await replayOrReject(own, keyed.rateLimited, incoming.headers, dependencies)
    return await decide(own, keepMs, incoming.headers, dependencies)
  } catch (error) {
    const request = formatRequestId(own.id)
    if (error instanceof StoreDown)
      dependencies.log.error('an idempotency key could not be claimed', { request, error: String(error) })
    throw error
  }
}

/** The same for the same request, whichever key of the account sends it. */
const fingerprintOf = ({ endpoint, body }: KeyedRequest): Uint8Array =>
  createHash('sha256').update(`${endpoint}\n`).update(body).digest()

/** A storm of refused calls is worth no more than a look: nothing is written for it. */
async function replayOrReject(
  claim: Claim,
  refused: Failure,
  headers: ResponseHeaders,
  dependencies: ClaimDependencies,
): Promise<HttpResponse> {
  const { store } = dependencies
  const known = await store.contents.find(claim)
  if (known.outcome !== 'finished' || !known.answer) throw refused
  return replay(claim, known.first, known.answer, headers, dependencies) ?? Promise.reject(refused)
}

async function decide(
  claim: Claim,
  keepMs: number,
  headers: ResponseHeaders,
  dependencies: ClaimDependencies,
): Promise<KeyClaim | HttpResponse> {
  const { store } = dependencies
  let claimedFrom = performance.now()
  let claimed = await store.contents.claim(claim)
  if (claimed.outcome === 'running') {
    const fate = await fateOf(claimed, claim.account, store)
    if (fate === 'abandoned') {
      claimedFrom = performance.now()
      claimed = await store.contents.claim(claim, claimed.first.id)
    } else if (fate !== 'running') claimed = await keptOrLost(claim, claimed.first.id, fate.cost, store)
  }
  if (claimed.outcome === 'new') return { claim, keepMs, claimedFrom, isHeld: false }
  const again =
    claimed.outcome === 'finished' && claimed.answer
      ? replay(claim, claimed.first, claimed.answer, headers, dependencies)
      : undefined
  if (again) return again
  throw refusal(claimed, headers)
}

/** What the ledger knows of a request that should be running. */
async function fateOf(
  { first, ageMs }: Extract<Claimed, { outcome: 'running' }>,
  account: bigint,
  store: ClaimStore,
): Promise<'running' | 'abandoned' | { cost: Nanos }> {
  const row = await store.ledger.findRequest(account, first.id)
  // Between its claim and its hold a request has no row.
  if (!row) return ageMs < ABANDONED_AFTER_MS ? 'running' : 'abandoned'
  if (row.state === HELD) return 'running'
  if (isAnswered(row.ending, row.cost)) return { cost: row.cost }
  if (row.state !== REAPED) return 'abandoned'
  // Its owner may come back and settle it after all. Ending it for good, in the owner's name, keeps it from doing so: of
  // this and the owner's own end the ledger takes the first.
  const { outcome, amount } = await store.ledger.apply({
    verb: 'void',
    ...first,
    ending: row.ending,
    receipt: row.receipt,
  })
  if (outcome !== 'done' && outcome !== 'repeated') return 'running'
  return amount > 0n ? { cost: amount } : 'abandoned'
}

/** The request has had its answer, or is to be paid for what came of it: there is no other try. */
const isAnswered = (outcome: string, charged: Nanos): boolean =>
  charged > 0n || DELIVERED.some((delivered) => delivered === outcome)

/** Charged, but nothing is kept of it: its owner is about to, or has died in between. */
async function keptOrLost(claim: Claim, first: bigint, cost: Nanos, { contents }: ClaimStore): Promise<Claimed> {
  await Bun.sleep(KEEPING_MS)
  const claimed = await contents.claim(claim)
  if (claimed.outcome !== 'running' || claimed.first.id !== first) return claimed
  return { outcome: 'finished', first, cost, answer: undefined }
}

/** undefined: what was kept cannot be read. It is paid for, so it is as good as lost: nothing is asked or charged again. */
function replay(
  claim: Claim,
  first: bigint,
  sealed: KeptAnswer,
  headers: ResponseHeaders,
  { accountKeys, log }: ClaimDependencies,
): HttpResponse | undefined {
  const answer = openAnswer(claim, sealed, accountKeys)
  if (!answer) {
    log.error('a kept answer cannot be decrypted', { request: formatRequestId(first) })
    return undefined
  }
  const kept = JSON.parse(answer.headers) as Record<string, string>
  for (const [name, value] of Object.entries(kept)) headers.set(name, value)
  headers.set('idempotent-replayed', 'true')
  headers.set('idempotent-request-id', formatRequestId(first))
  return { status: 200, headers, body: answer.body }
}

function refusal(claimed: Exclude<Claimed, { outcome: 'new' }>, headers: ResponseHeaders): Failure {
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
  // Trying again would bring the same, and clients try a 409 again by themselves.
  headers.set('x-should-retry', 'false')
  const ended = `The request with this Idempotency-Key has ended (${id}, charged ${formatUsd(claimed.cost)} USD)`
  const why = claimed.answer
    ? 'its kept answer can no longer be read'
    : 'its answer was not kept: only unstreamed ones of up to 1 MiB are'
  const message = `${ended}, and ${why}. Send a new key to ask again.`
  return new Failure('conflict', message, { param })
}

/** The hold stands. In time: nobody has taken this claim for abandoned. */
export async function confirmClaim(key: KeyClaim, hold: OpenRequest, release: () => void): Promise<void> {
  key.isHeld = true
  if (performance.now() - key.claimedFrom < HOLD_WITHIN_MS) return
  release()
  key.isHeld = false
  await hold.void('node_lost', '')
  throw unavailable()
}

/** The request came to nothing before there was a hold: the key is free again. */
export function releaseClaim({ claim, isHeld }: KeyClaim, dependencies: ClaimDependencies): Promise<void> {
  return isHeld ? Promise.resolve() : orLater(claim, dependencies, () => dependencies.store.contents.forget(claim))
}

export type End = { outcome: Outcome; charged: Nanos; headers: ResponseHeaders; body: Uint8Array | undefined }

/** The ledger has the end of the request. Errors are not kept: if nothing is charged the next one may try. */
export function endClaim({ claim, keepMs }: KeyClaim, end: End, dependencies: ClaimDependencies): Promise<void> {
  const { contents } = dependencies.store
  if (!end.body && !isAnswered(end.outcome, end.charged))
    return orLater(claim, dependencies, () => contents.forget(claim))
  const { body } = end
  const isKeepable = body !== undefined && body.length <= LARGEST_KEPT_BYTES
  const answer = isKeepable ? sealAnswer(claim, keptAnswer(end.headers, body), dependencies.accountKeys) : undefined
  return orLater(claim, dependencies, async () => {
    const isKept = await contents.keep(claim, { cost: end.charged, keepMs, answer })
    if (!isKept) dependencies.log.warn('an idempotency key was taken over', { request: formatRequestId(claim.id) })
  })
}

function keptAnswer(headers: ResponseHeaders, body: Uint8Array): KeptAnswer {
  const own = KEPT_HEADERS.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value]]
  })
  return { headers: JSON.stringify(Object.fromEntries(own)), body }
}

/** The answer is paid for: a store that fails or dawdles keeps nobody from having it. The ledger knows what became of it. */
function orLater({ id }: Claim, { ticker, log }: ClaimDependencies, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const callOff = ticker.after(KEEP_WITHIN_MS, resolve)
    work()
      .catch((error) => log.error('the answer was not kept', { request: formatRequestId(id), error: String(error) }))
      .finally(() => {
        callOff()
        resolve()
      })
  })
}
