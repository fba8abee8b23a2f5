// Finds keys that were stopped: by their expiry, and by whoever is not the one who is told.
import type { NoticedChange, NoticedKey, NoticeMark } from '../storage/storage.ts'
import { type KeyFacts, keyShown } from './facts.ts'
import { type NoticeDependencies, tell } from './tell.ts'

const PAGE = 500

/** Those that expired between these times, both included. */
export async function tellExpired(from: number, to: number, deps: NoticeDependencies): Promise<void> {
  for (let after: NoticedKey | undefined; ; ) {
    const keys: NoticedKey[] = await deps.storage.notices.expiredKeys(from, to, after, PAGE)
    for (const key of keys) await tellExpiry(key, deps)
    after = keys.at(-1)
    if (keys.length < PAGE) return
  }
}

/** Another expiry is another stop. */
async function tellExpiry(key: NoticedKey, deps: NoticeDependencies): Promise<void> {
  const { id, account, person, expiresAt = 0 } = key
  const mark = { account, subject: `expiry:${id}`, period: 0, basis: BigInt(expiresAt), level: 100 }
  const [known] = await deps.storage.notices.marks([account], [mark.subject])
  if (known?.basis !== mark.basis) await tell({ mark, person, facts: stop('expired', { key: keyShown(key) }) }, deps)
}

/**
 * Tells of keys that were stopped by a change, and resolves with the accounts whose budgets or caps it may have changed.
 */
export async function tellChanges(changes: readonly NoticedChange[], deps: NoticeDependencies): Promise<Set<bigint>> {
  const accounts = new Set<bigint>()
  for (const change of changes) {
    const [, noun, digits = ''] = /^(account|key|budget|person)\/(\d{1,18})$/.exec(change.object) ?? []
    if (noun === undefined) continue
    const id = BigInt(digits)
    if (noun === 'person') {
      if (change.action === 'person disable') await tellPersonDisabled(id, change, deps)
    } else if (noun === 'key') {
      const [key] = await deps.storage.notices.noticedKeys([id])
      if (key) accounts.add(key.account)
      if (key) await tellKeyChange(key, change, deps)
    } else {
      const account = noun === 'account' ? id : await deps.storage.notices.accountOfBudget(id)
      if (account !== undefined) accounts.add(account)
      if (change.action === 'account disable') await tellStop(id, `account`, change, stop('account_disabled', {}), deps)
    }
  }
  return accounts
}

const MOST_ACCOUNTS = 100

async function tellPersonDisabled(person: bigint, change: NoticedChange, deps: NoticeDependencies): Promise<void> {
  const { notices, people } = deps.storage
  const member = (await people.names([person])).get(person) ?? null
  for (const account of await notices.accountsWithKeysOf(person, MOST_ACCOUNTS))
    await tellStop(account, `person:${person}`, change, stop('person_disabled', { member }), deps)
}

async function tellKeyChange(key: NoticedKey, change: NoticedChange, deps: NoticeDependencies): Promise<void> {
  const { id, account, person, expiresAt } = key
  // One that is set to a time that is over is in no range of times.
  if (expiresAt !== undefined && expiresAt <= deps.storage.now()) await tellExpiry(key, deps)
  if (change.action !== 'key delete') return
  const facts = stop('deleted', { key: keyShown(key) })
  if (!(await isMember(account, change.person, deps)))
    return tellStop(account, `key:${id}`, change, facts, deps, { person })
  // Among themselves, only the one is told whose key it was.
  if (person !== undefined && person !== change.person)
    await tellStop(account, `key:${id}`, change, facts, deps, { only: person })
}

async function isMember(account: bigint, person: bigint | undefined, { storage }: NoticeDependencies) {
  return person !== undefined && (await storage.members.list(account)).some((member) => member.person === person)
}

async function tellStop(
  account: bigint,
  subject: string,
  { id, reason }: NoticedChange,
  facts: ReturnType<typeof stop>,
  deps: NoticeDependencies,
  whom: { person?: bigint | undefined; only?: bigint } = {},
): Promise<void> {
  const mark: NoticeMark = { account, subject, period: Number(id), basis: 0n, level: 100 }
  const [known] = await deps.storage.notices.marks([account], [subject])
  if (known && known.period >= mark.period) return
  await tell({ mark, ...whom, facts: { ...facts, note: reason } }, deps)
}

const NOTHING = { key: null, member: null, note: '', budget: null }
const stop = (reason: KeyFacts['reason'], of: Partial<KeyFacts>): { kind: 'key' } & KeyFacts => ({
  kind: 'key',
  reason,
  ...NOTHING,
  ...of,
})
