// The statements of Contents, the same for both engines: `$1` are parameters, NOW is the store's clock in milliseconds.
// `cost` is null while a request runs.
import type { Nanos } from '../../money/amount.ts'
import { type Claim, type Claimed, checkClaim, type KeptAnswer, LONGEST_CLAIM_MS } from '../contents.ts'
import { LARGEST_PART } from '../shares.ts'
import { checkText } from './guard.ts'
import { integer, type Row } from './rows.ts'
import type { Room } from './shares/room.ts'

/**
 * One row decides, so that concurrent claims cannot both succeed. The claim of an ended request is replaced once it has
 * expired; that of a running request only by a caller that knows the request to be dead and names it.
 */
const CLAIM = `
INSERT INTO idempotency AS known (account, key, fingerprint, request, node_id, epoch, claimed_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, NOW, NOW + $7)
ON CONFLICT (account, key) DO UPDATE SET fingerprint = excluded.fingerprint, request = excluded.request,
  node_id = excluded.node_id, epoch = excluded.epoch, claimed_at = excluded.claimed_at, expires_at = excluded.expires_at,
  cost = NULL, headers = NULL, body = NULL, bytes = 0
WHERE (known.cost IS NOT NULL AND known.expires_at <= NOW)
  OR (known.cost IS NULL AND known.fingerprint = excluded.fingerprint AND known.request IN (excluded.request, $8))
RETURNING request`

const FIND = `
SELECT fingerprint, request, node_id, epoch, cost, headers, body, NOW - claimed_at AS age,
  cost IS NOT NULL AND expires_at <= NOW AS over
FROM idempotency WHERE account = $1 AND key = $2`

const KEEP = `
UPDATE idempotency SET cost = $4, expires_at = NOW + $5, headers = $6, body = $7, bytes = $8
WHERE account = $1 AND key = $2 AND request = $3
RETURNING request, (SELECT stored_size.bytes FROM stored_size WHERE stored_size.account = $1) AS stored`

const FORGET = 'DELETE FROM idempotency WHERE account = $1 AND key = $2 AND request = $3 AND cost IS NULL'

/** Checks the time again: since the first check, the row may have been claimed again. */
const SWEEP = `
DELETE FROM idempotency WHERE expires_at <= NOW AND (account, key) IN (
  SELECT account, key FROM idempotency WHERE expires_at <= NOW ORDER BY expires_at LIMIT $1)
RETURNING request`

/**
 * Rejects with StoreDown if the store does not answer: whether the statement took effect is then unknown. `isLarge`: its rows may be so large
 * that no others should be in memory beside them.
 */
export type Ask = (sql: string, parameters: readonly unknown[], isLarge?: boolean) => Promise<Row[]>

/** Where the engines differ in what they store apart from the ledger. */
export type ContentDialect = {
  /** At the end of a SELECT: locks its rows, after waiting for a process that has locked them. */
  lock: string
  /** The same, but leaves out those that another process has locked. */
  skipLocked: string
  /** A SELECT of the elements of a JSON list, named `value`. */
  list(parameter: string, type?: 'bigint' | 'text'): string
  /** The same of hexadecimal numbers, as bytes. */
  listOfBytes(parameter: string): string
  /** An aggregate: a JSON list. */
  listOf(column: string): string
}

/** Between a conflicting insert and the read that follows, the row may be removed, but not again and again. */
const TRIES = 5

/** What an answer takes beside its contents. */
const ROW_BYTES = 256

export function contentsOver(ask: Ask, room: Room) {
  return {
    /**
     * If an account claims one key several times at once, one claim is `new`, and durable when this resolves. `instead`: replaces the claim
     * of this request, if it is still the current one. A claim may be repeated.
     */
    async claim(claim: Claim, instead = 0n): Promise<Claimed> {
      checkClaim(claim)
      const { account, key, fingerprint, id, nodeId, epoch } = claim
      for (let tries = 0; tries < TRIES; tries += 1) {
        const claimed = await ask(CLAIM, [account, key, fingerprint, id, nodeId, epoch, LONGEST_CLAIM_MS, instead])
        if (claimed.length > 0) return { outcome: 'new' }
        const [row] = await ask(FIND, [account, key])
        if (row) return toClaimed(row, claim)
      }
      throw new Error('an idempotency key was claimed and removed again and again')
    },
    /** The result that a claim would have, without making it. */
    async find(claim: Claim): Promise<Claimed> {
      checkClaim(claim)
      const [row] = await ask(FIND, [claim.account, claim.key])
      return row && !row.over ? toClaimed(row, claim) : { outcome: 'new' }
    },
    /** The request is over and was charged `cost`; kept for `keepMs` from now. false: another request has the claim by now. */
    async keep(
      { account, key, id }: Claim,
      { cost, keepMs, answer: given }: { cost: Nanos; keepMs: number; answer: KeptAnswer | undefined },
    ): Promise<boolean> {
      const headers = given ? checkText('headers', given.headers) : ''
      const size = given ? ROW_BYTES + headers.length + given.body.length : 0
      // A key without its answer still keeps the request from running again.
      const answer = size <= room.limits.accountBytes * LARGEST_PART ? given : undefined
      const bytes = answer ? size : 0
      const content = answer ? [headers, answer.body] : [null, null]
      const [kept] = await ask(KEEP, [account, key, id, cost, keepMs, ...content, bytes])
      if (kept && bytes > 0) await room.make(account, bytes, Buffer.from(key).toString('hex'), Number(kept.stored ?? 0))
      return kept !== undefined
    },
    /** Releases the key; a claim that has ended, or belongs to another request, stays. */
    async forget({ account, key, id }: Claim): Promise<void> {
      await ask(FORGET, [account, key, id])
    },
    /** Removes at most `limit` expired rows; resolves with their number. */
    async sweep(limit: number): Promise<number> {
      return (await ask(SWEEP, [limit])).length
    },
  }
}

function toClaimed(row: Row, { fingerprint }: Claim): Claimed {
  const id = integer(row.request)
  if (Buffer.compare(row.fingerprint as Uint8Array, fingerprint) !== 0) return { outcome: 'mismatch', first: id }
  if (row.cost === null)
    return {
      outcome: 'running',
      first: { id, nodeId: Number(row.node_id), epoch: Number(row.epoch) },
      ageMs: Number(row.age),
    }
  const answer =
    row.body === null ? undefined : { headers: row.headers as string, body: new Uint8Array(row.body as Uint8Array) }
  return { outcome: 'finished', first: id, cost: integer(row.cost), answer }
}
