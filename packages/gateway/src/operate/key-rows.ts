// Keys as the console, the admin API and the command line show them.

import { formatUsd } from '../money/amount.ts'
import { capJson, limitsJson } from '../money/json.ts'
import type { Ceiling, Key, Storage } from '../storage/storage.ts'
import { isoTime } from './inputs/fields.ts'

/** `account`: the one that all of them belong to, if that is known. */
export async function keyRows(
  account: bigint | undefined,
  keys: readonly Key[],
  storage: Pick<Storage, 'spending' | 'people' | 'adminKeys'>,
  isHolder = false,
) {
  const used = await storage.spending.lastUsed(
    account,
    keys.map(({ id }) => id),
  )
  const makers = keys.map((key) => makerOf(key, isHolder))
  const [emails, names] = await Promise.all([
    storage.people.names([...new Set(makers.flatMap(({ person }) => person ?? []))]),
    storage.adminKeys.names([...new Set(makers.flatMap(({ adminKey }) => adminKey ?? []))]),
  ])
  const now = Date.now()
  return keys.map((key, index) => {
    const { person, adminKey } = makers[index] ?? {}
    return {
      ...keyRow(key, used.get(key.id), now),
      made_by: idOrNull(person),
      made_by_email: (person !== undefined && emails.get(person)) || null,
      made_by_key: idOrNull(adminKey),
      made_by_key_name: (adminKey !== undefined && names.get(adminKey)) || null,
      /** An operator or, where all others are null, the command line. */
      made_by_operator: key.person === undefined,
    }
  })
}

/** Holders learn that it was an operator, not which. */
function makerOf({ person, operator }: Key, isHolder: boolean): { person?: bigint; adminKey?: bigint } {
  return person !== undefined ? { person } : isHolder ? {} : (operator ?? {})
}

const idOrNull = (id: bigint | undefined): string | null => (id === undefined ? null : String(id))

export type KeyRow = Awaited<ReturnType<typeof keyRows>>[number]

function keyRow(key: Key, usedAt: number | undefined, now: number) {
  const { expiresAt, restrictions, formerUntil } = key
  const isExpired = expiresAt !== undefined && expiresAt <= now
  const state: 'active' | 'expired' | 'deleted' = key.deleted ? 'deleted' : isExpired ? 'expired' : 'active'
  return {
    id: String(key.id),
    account_id: String(key.account),
    name: key.name,
    last_four: key.lastFour,
    group: key.group,
    purpose: key.purpose,
    state,
    created_at: isoTime(key.createdAt),
    own_since: isoOrNull(key.ownSince),
    expires_at: isoOrNull(expiresAt),
    last_used_at: isoOrNull(usedAt),
    // Neither secret of a key that is deleted or has expired works.
    former_secret_until:
      state === 'active' && formerUntil !== undefined && formerUntil > now ? isoTime(formerUntil) : null,
    ...capJson(key, now),
    /** What counts against the cap now. */
    spent_under_cap_usd: formatUsd(key.spentUnderCap),
    spent_usd: formatUsd(key.spent),
    spent_today_usd: formatUsd(key.spentToday),
    spent_this_month_usd: formatUsd(key.spentThisMonth),
    held_usd: formatUsd(key.held),
    models: restrictions.models === undefined ? null : [...restrictions.models],
    networks: restrictions.networks === undefined ? null : [...restrictions.networks],
    tags: [...key.tags],
    tags_locked: key.areTagsLocked,
    limits: limitsJson(key.limits),
    /** What the operator set: the account holder can lower it, never raise it. Null: the holder decides. */
    ceiling: ceilingJson(key.ceiling),
  }
}

const ceilingJson = ({ cap, capPeriod, expiresAt, requestsPerMinute, tokensPerMinute, concurrent }: Ceiling) => ({
  cap_usd: cap === undefined ? null : formatUsd(cap),
  cap_period: capPeriod ?? null,
  expires_at: isoOrNull(expiresAt),
  limits: limitsJson({ requestsPerMinute, tokensPerMinute, concurrent }),
})

const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms))
