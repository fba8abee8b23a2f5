// Rejects values that no store can keep. PostgreSQL rejects NUL and lone surrogates and SQLite would change them silently, so
// they are rejected here for both. Amounts beyond 64 bits would fail or round inside an engine.
import { MAX_AMOUNT, type Nanos, UNLIMITED_CREDIT } from '../../money/amount.ts'
import { type Attribution, LONGEST_NAME, LONGEST_TAG, MOST_TAGS } from '../../money/budgets/attribution.ts'
import { MOST_BUDGETS } from '../../money/budgets/budget.ts'
import { type Counted, type Hold, TASK_NODE, type Verb } from '../../money/ledger.ts'
import { type Limits, MAX_TOKENS, PERIODS, type Period } from '../../money/limits.ts'
import type { IdentityName } from '../people/identities.ts'

const MAX_INT64 = (1n << 63n) - 1n
/** No wallet grows beyond this: credits, holds and costs of MAX_AMOUNT still add up within 64 bits. */
export const MAX_BALANCE: Nanos = 4n * MAX_AMOUNT

export function checkText(field: string, value: string): string {
  if (value.includes('\0')) throw new TypeError(`${field}: must not contain a NUL character`)
  if (!value.isWellFormed()) throw new TypeError(`${field}: must not contain half of a surrogate pair`)
  return value
}

/** One form per address: two accounts must not differ in case, spaces around or Unicode composition only. */
export function normaliseEmail(email: string): string {
  return checkText('email', email).trim().toLowerCase().normalize('NFC')
}

export function checkAmount(field: string, value: Nanos): void {
  if (value < 0n || value > MAX_AMOUNT) throw new RangeError(`${field}: ${value} is outside 0..${MAX_AMOUNT}`)
}

function checkTokens(field: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0 || value > MAX_TOKENS)
    throw new RangeError(`${field}: ${value} is not a whole number in 0..${MAX_TOKENS}`)
}

export function checkLimits<Some extends Partial<Limits>>(limits: Some): Some {
  for (const [field, value] of Object.entries(limits))
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 1 || value > MAX_TOKENS))
      throw new RangeError(`${field}: ${value} is not a whole number in 1..${MAX_TOKENS}`)
  return limits
}

/** Throws RangeError if the cap of a key or an account is invalid. */
export function checkCap({ cap, capPeriod }: { cap?: Nanos | undefined; capPeriod?: Period | undefined }): void {
  if (cap !== undefined) checkAmount('cap', cap)
  if (capPeriod !== undefined && !PERIODS.includes(capPeriod))
    throw new RangeError(`capPeriod: ${capPeriod} is not one of ${PERIODS.join(', ')}`)
}

export function checkCreditLine(line: Nanos): void {
  if (line !== UNLIMITED_CREDIT) checkAmount('creditLine', line)
}

/** An empty list would allow nothing, which is never intended. */
export function checkList(field: string, values: readonly string[] | undefined): void {
  if (values?.length === 0) throw new RangeError(`${field}: must not be empty`)
  for (const value of values ?? []) checkText(field, value)
}

export function checkIdentity(name: IdentityName): IdentityName {
  checkText('issuer', name.issuer)
  checkText('subject', name.subject)
  return name
}

export function checkHash(hash: Uint8Array): Uint8Array {
  if (hash.length !== 32) throw new TypeError('hash: must be the 32 bytes of a SHA-256')
  return hash
}

export function checkId(id: bigint): bigint {
  if (id <= 0n || id > MAX_INT64) throw new RangeError(`id: ${id} is not an id`)
  return id
}

/** Throws TypeError or RangeError for a verb that the store could not keep as it is. */
export function checkVerb(verb: Verb): void {
  if ('id' in verb) checkId(verb.id)
  switch (verb.verb) {
    case 'hold':
      checkAmount('amount', verb.amount)
      checkAmount('minimum', verb.minimum)
      checkTokens('tokens', verb.tokens)
      checkTokens('minimumTokens', verb.minimumTokens)
      checkTokens('revision', verb.revision)
      checkOwner(verb)
      checkCounted(verb)
      checkText('model', verb.model)
      checkText('upstream', verb.upstream)
      return
    case 'extend':
      checkAmount('amount', verb.amount)
      checkAmount('minimum', verb.minimum)
      checkTokens('tokens', verb.tokens)
      checkAmount('progress', verb.progress)
      return
    case 'settle':
      checkAmount('cost', verb.cost)
      checkTokens('tokens', verb.tokens)
      checkText('outcome', verb.outcome)
      checkText('receipt', verb.receipt)
      return
    case 'void':
      checkText('outcome', verb.outcome)
      checkText('receipt', verb.receipt)
      return
    case 'begin':
      checkTokens('lease', verb.lease)
      return
    case 'restore':
      checkText('model', verb.model)
      checkText('upstream', verb.upstream)
      checkCounted(verb)
      return
    case 'join':
    case 'renew':
      checkText('config', verb.config)
      return
    case 'acquire_lease':
      checkText('holder', verb.holder)
      checkLease(verb)
      return
    case 'renew_lease':
      checkLease(verb)
      return
    case 'release_lease':
      checkText('lease', verb.lease)
      return
    case 'take_over':
      checkId(verb.by)
      return
    case 'reap':
    case 'collect':
      if (!Number.isSafeInteger(verb.limit) || verb.limit < 0) throw new RangeError(`limit: ${verb.limit}`)
  }
}

function checkCounted({ budgets, attribution }: Counted): void {
  if (budgets !== undefined) {
    if (budgets.length === 0 || budgets.length > MOST_BUDGETS || new Set(budgets).size < budgets.length)
      throw new RangeError(`budgets: ${budgets} are not 1 to ${MOST_BUDGETS} different ones`)
    for (const id of budgets) checkId(id)
  }
  if (attribution !== undefined) checkAttribution(attribution)
}

function checkAttribution({ tags, endUser, session }: Attribution): void {
  if (tags.length === 0 && endUser === '' && session === '') throw new RangeError('attribution: is of nothing')
  if (tags.length > MOST_TAGS) throw new RangeError(`tags: more than ${MOST_TAGS}`)
  for (const [index, tag] of tags.entries()) {
    if (tag === '' || tag.length > LONGEST_TAG || tag.includes(','))
      throw new RangeError(`tags: "${tag}" is not 1 to ${LONGEST_TAG} characters without a comma`)
    if (index > 0 && tag <= (tags[index - 1] ?? '')) throw new RangeError('tags: are not sorted, each once')
    checkText('tags', tag)
  }
  for (const [field, value] of Object.entries({ endUser, session })) {
    if (value.length > LONGEST_NAME) throw new RangeError(`${field}: longer than ${LONGEST_NAME} characters`)
    checkText(field, value)
  }
}

/** A task's hold has a deadline, a node's has none. */
function checkOwner({ nodeId, deadline }: Hold): void {
  if ((nodeId === TASK_NODE) !== (deadline !== undefined))
    throw new RangeError(`deadline: ${deadline} does not fit nodeId ${nodeId}`)
  if (deadline !== undefined && (!Number.isSafeInteger(deadline) || deadline < 0))
    throw new RangeError(`deadline: ${deadline}`)
}

function checkLease({ lease, ttlMs }: { lease: string; ttlMs: number }): void {
  checkText('lease', lease)
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 1) throw new RangeError(`ttlMs: ${ttlMs}`)
}
