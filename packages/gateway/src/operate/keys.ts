// API keys: list, create, change, rotate and delete. A secret leaves the gateway once, in the answer that creates it.

import { hashSecret } from '../access/authenticate.ts'
import { aboveCeiling, operatorChanges } from '../access/ceilings.ts'
import { newApiKey } from '../access/secrets/new-secrets.ts'
import { DEFAULT_GROUP } from '../config/sections/groups.ts'
import { NO_LIMITS } from '../money/limits.ts'

import { parseIsoTime } from '../request/iso-time.ts'
import {
  boolean,
  fields,
  idOf,
  integer,
  isId,
  NOTHING,
  optional,
  text,
  WRITTEN_TIME,
} from '../request/schema/schema.ts'
import type { Ceiling, Key, KeyChanges, KeyFilter, NewKey, Place } from '../storage/storage.ts'

import { keyEffects } from './accounts/effects.ts'
import { findAccount, personNamed } from './inputs/find-account.ts'
import { checkOffered, chosenGroup, modelsOfGroup, readTerms } from './inputs/key-terms.ts'
import { given, pageFields, readPlace } from './inputs/page.ts'
import { ACCOUNT, CHANGE_KEY, KEY_FILTER, LAST_FOUR, NEW_KEY, ROTATE_KEY } from './inputs/schemas.ts'
import { type KeyRow, keyRows } from './key-rows.ts'
import { type Actor, audited, fingerprint, type OperationContext, operation } from './operation.ts'
import { checkAccountRank, isForeign, operatorIn } from './people/rank.ts'
import { rejected } from './rejections.ts'
import { NEW_OPERATORS_KEY, OPERATORS_KEY } from './resources/keys.ts'

/** The most keys of one account; deleted and expired ones do not count. */
export const MOST_KEYS = 2_000
/** To write the terms of a key that others change at the same time. */
const MOST_ATTEMPTS = 10

const KEY = text({ min: 0, max: 40 })

export const KEY_LIST_FILTER = {
  /** Without it: of all accounts. */
  account: optional(ACCOUNT),
  ...KEY_FILTER.properties,
  group: optional(text({ max: 200 })),
  last_four: optional(LAST_FOUR),
  /** A part of the name, or the last four characters of the secret. */
  search: optional(text({ max: 200 })),
  /** The person who made them, by id or email address. */
  made_by: optional(text({ max: 320 })),
  /** The key of the admin API that made them. */
  made_by_key: optional(idOf('an admin key')),
  /** Only keys that were created before this time, and not used since. */
  unused_since: optional(WRITTEN_TIME),
  never_used: optional(boolean()),
  has_cap: optional(boolean()),
  has_expiry: optional(boolean()),
  /** Only keys that have spent at least so many percent of their cap. */
  cap_used_percent: optional(integer({ min: 1, max: 100 })),
}

export const listKeys = operation({
  name: 'key list',
  permission: 'see',
  forHolders: true,
  route: { at: 'GET keys', summary: 'Lists keys, newest first', output: OPERATORS_KEY, list: true, csv: true },
  input: fields({
    ...KEY_LIST_FILTER,
    ...pageFields('a key'),
  }),
  /** Newest first. `total`: of an account holder's own keys, whatever the page; null for operators. */
  async run(context, { after, before, limit: most, account: named, ...written }) {
    const { actor, storage } = context
    const account = named === undefined ? undefined : (await findAccount(context, named)).id
    const { place, limit } = readPlace(given({ after, before, limit: most }), BigInt)
    const { state, name } = written
    if (actor.type === 'holder') return await ownKeys(context, actor.account.id, given({ state, name }), place, limit)
    const { unused_since: since } = written
    const filter = given({
      account,
      state,
      name: name || undefined,
      group: written.group,
      lastFour: written.last_four,
      search: written.search,
      maker: written.made_by === undefined ? undefined : (await personNamed(context, written.made_by)).id,
      makerKey: written.made_by_key === undefined ? undefined : BigInt(written.made_by_key),
      unusedSince: since === undefined ? undefined : parseIsoTime(since),
      isUnused: written.never_used,
      hasCap: written.has_cap,
      hasExpiry: written.has_expiry,
      capUsed: written.cap_used_percent,
    })
    const { rows, next } = await storage.lists.keys(filter, place, limit)
    const items = await withAccounts(await keyRows(account, rows, storage), storage)
    return { items, next: next === undefined ? null : String(next), total: null }
  },
})

/** The console shows how many there are, and goes forward only. */
async function ownKeys(context: OperationContext, account: bigint, filter: KeyFilter, { after }: Place, limit: number) {
  const own = { ...filter, ...given({ before: after }), ...(isMember(context.actor) ? makerIn(context) : {}) }
  // One more than is shown, to know whether there are more.
  const { keys, total } = await context.storage.keys.page(account, own, limit + 1)
  const shown = keys.slice(0, limit)
  const next = keys.length > limit ? String(shown.at(-1)?.id) : null
  return { items: await keyRows(account, shown, context.storage, true), next, total }
}

export const showKey = operation({
  name: 'key show',
  permission: 'see',
  forHolders: true,
  route: { at: 'GET keys/{key}', summary: 'Shows a key', output: OPERATORS_KEY },
  input: fields({ key: KEY }),
  run: async (context, { key }) => rowOf(await findKey(context, key), context),
})

export const createKey = operation({
  name: 'key create',
  permission: 'keys',
  forHolders: true,
  route: {
    at: 'POST keys',
    summary: 'Creates a key; its secret is shown once',
    output: NEW_OPERATORS_KEY,
    resource: 'key',
    status: 201,
    example: { body: { account: 'ada@example.com', name: 'laptop', cap_usd: '20', cap_period: 'month' } },
  },
  input: fields({ account: ACCOUNT, ...NEW_KEY.properties }),
  async run(context, { account: named, ...written }) {
    const account = await findAccount(context, named)
    await checkAccountRank(context, account.id)
    const group = (await chosenGroup(context, written.group ?? DEFAULT_GROUP, account.id)).id
    const present = { cap: undefined, group, offered: modelsOfGroup(context.config, group) }
    const { name = '', tags, areTagsLocked, ...terms } = readTerms(written, present)
    if (context.actor.type === 'holder' && areTagsLocked !== undefined) throw tagsAreLocked()
    const { expiresAt, cap, capPeriod, models, networks, ...limits } = terms
    await countChange(context, 'create', account.id)
    const { secret, ...hashed } = newSecret()
    const after = { ...written, name, group, secret: fingerprint(hashed.hash) }
    const { keys } = audited(context, 'key create', { object: { key: hashed.hash }, after })
    const wanted = {
      ...hashed,
      account: account.id,
      ...(await madeBy(context, account.id)),
      ceiling: context.actor.type === 'holder' ? {} : { ...terms, ...(written.group === undefined ? {} : { group }) },
      name,
      tags,
      areTagsLocked,
      group,
      expiresAt,
      cap,
      capPeriod,
      restrictions: { models, networks },
      limits: { ...NO_LIMITS, ...limits },
    }
    const key = await keys.createWithin(wanted, MOST_KEYS)
    if (key === undefined) throw rejected('too_many_keys', { most: MOST_KEYS })
    return { key: await rowOf(key, context), secret }
  },
})

export const limitKey = operation({
  name: 'key limit',
  permission: 'keys',
  forHolders: true,
  route: {
    at: 'PATCH keys/{key}',
    summary: 'Changes a key',
    output: OPERATORS_KEY,
    example: { body: { cap_usd: '20', limits: { rpm: 60 } } },
  },
  input: fields({ key: KEY, ...CHANGE_KEY.properties }),
  async run(context, { key: id, ...written }) {
    const key = await usableKey(context, id)
    const group = await groupOf(context, key, written.group)
    const offered = modelsOfGroup(context.config, group)
    const terms = readTerms(written, { cap: key.cap, group, offered })
    if (group !== key.group && !('models' in terms)) checkOffered(key.restrictions.models ?? [], group, offered)
    // An operator who names the group that the holder has chosen sets it from now on.
    const isChosen = group !== key.group || (written.group !== undefined && context.actor.type !== 'holder')
    const changes: KeyChanges = { ...terms, ...(isChosen ? { group } : {}) }
    if (Object.keys(changes).length === 0) return await rowOf(key, context)
    withinCeiling(context, key, changes)
    await countChange(context, 'change', key.account)
    const before = changed(await rowOf(key, context), written)
    const { keys } = audited(context, 'key limit', { object: `key/${key.id}`, before, after: written })
    for (let attempt = 0, known = key; ; attempt += 1) {
      if (await keys.setTerms(key.id, withinCeiling(context, known, changes), known.revision)) break
      // Other fields, or the ceiling, were changed meanwhile.
      if (attempt === MOST_ATTEMPTS) throw rejected('changed_meanwhile', {})
      known = await usableKey(context, id)
    }
    return await rowOf(await findKey(context, id), context)
  },
})

/** Anyone may name the group that the key is in, even if it is not offered to the account, or at another price: the group stays. */
async function groupOf(context: OperationContext, key: Key, named: string | undefined): Promise<string> {
  if (named === undefined || named === key.group) return key.group
  return (await chosenGroup(context, named, key.account)).id
}

/** What an operator sets is a ceiling for the account holder. */
function withinCeiling({ actor }: OperationContext, key: Key, changes: KeyChanges): KeyChanges {
  if (actor.type !== 'holder') return operatorChanges(key, changes)
  const above = aboveCeiling(key, changes)
  if ((key.areTagsLocked && changes.tags) || changes.areTagsLocked !== undefined) throw tagsAreLocked()
  if (above) throw rejected('above_ceiling', { field: FIELD_OF[above.field], message: above.message })
  return changes
}

const tagsAreLocked = () =>
  rejected('above_ceiling', { field: 'tags', message: 'Only the operator of this gateway changes these tags.' })

/** Whether the operator has set all these terms: what the holder chose can be changed by the holder. */
export async function isSetByOperator(context: OperationContext, id: string, terms: object): Promise<boolean> {
  const { ceiling } = await findKey(context, id)
  const written = Object.entries(terms).flatMap(([name, term]) =>
    NOT_IN_CEILING.includes(name)
      ? []
      : name === 'limits'
        ? Object.keys(term as object).map((limit) => `limits.${limit}`)
        : [name],
  )
  const set = Object.keys(ceiling).map((field) => FIELD_OF[field as keyof Ceiling])
  return written.every((name) => set.includes(name))
}

/** What holds for holders and requests alike is no ceiling. */
const NOT_IN_CEILING = ['tags', 'tags_locked']

/** Terms as inputs name them. */
const FIELD_OF: Readonly<Record<keyof Ceiling, string>> = {
  group: 'group',
  cap: 'cap_usd',
  capPeriod: 'cap_period',
  expiresAt: 'expires_at',
  models: 'models',
  networks: 'networks',
  requestsPerMinute: 'limits.rpm',
  tokensPerMinute: 'limits.tpm',
  concurrent: 'limits.concurrent',
}

export const rotateKey = operation({
  name: 'key rotate',
  permission: 'keys',
  forHolders: true,
  route: {
    at: 'POST keys/{key}/rotate',
    summary: 'Rotates a key: creates a new secret, which is shown once',
    output: NEW_OPERATORS_KEY,
    resource: 'key',
    example: { body: { grace_seconds: 3600 } },
  },
  input: fields({ key: KEY, grace_seconds: optional(ROTATE_KEY.properties.grace_seconds) }),
  /** The former secret works until the grace is over; without one, no longer. */
  async run(context, { key: id, grace_seconds = 0 }) {
    const key = await clientKey(context, id)
    await countChange(context, 'rotate', key.account)
    const { secret, ...hashed } = newSecret()
    const formerUntil = grace_seconds === 0 ? undefined : Date.now() + grace_seconds * 1_000
    const after = { secret: fingerprint(hashed.hash), grace_seconds }
    const { keys } = audited(context, 'key rotate', { object: `key/${key.id}`, after })
    const learned = { operator: operatorIn(context), isolated: await isForeign(context, key.account) }
    // The command line can read the store anyway.
    const isLearned = context.actor.type !== 'command-line'
    if (
      !(await keys.rotate(key.id, { ...hashed, formerUntil, ...makerIn(context), ...(isLearned ? { learned } : {}) }))
    )
      throw rejected('key_deleted', { name: key.name })
    return { key: await rowOf(await findKey(context, id), context), secret }
  },
})

export const deleteKey = operation({
  name: 'key delete',
  permission: 'keys',
  isDangerous: true,
  forHolders: true,
  route: { at: 'DELETE keys/{key}', summary: 'Deletes a key', output: OPERATORS_KEY },
  input: fields({ key: KEY }),
  async run(context, { key: id }) {
    const key = await clientKey(context, id, true)
    await countChange(context, 'delete', key.account)
    const before = { name: key.name, last_four: key.lastFour }
    const effects = await keyEffects(context, key)
    await audited(context, 'key delete', { object: `key/${key.id}`, before, effects }).keys.delete(key.id)
    return await rowOf({ ...key, deleted: true }, context)
  },
})

/** For warnings about groups that no longer exist. */
export const countKeyGroups = operation({
  name: 'key groups',
  permission: 'see',
  input: NOTHING,
  run: async ({ storage }): Promise<Record<string, number>> => Object.fromEntries(await storage.keys.countByGroup()),
})

/** A key of another account is unknown to an account holder, and a key of another person to a member who is not an owner. */
export async function findKey({ actor, storage }: OperationContext, id: string): Promise<Key> {
  const found = isId(id) ? await storage.keys.findWithAccount(BigInt(id)) : undefined
  if (!found) throw rejected('unknown_key', { key: id })
  const isForeign = actor.type === 'holder' && found.account.id !== actor.account.id
  if (isForeign || (isMember(actor) && found.key.person !== actor.person.id)) throw rejected('unknown_key', { key: id })
  return found.key
}

const isMember = (actor: Actor): actor is Extract<Actor, { type: 'holder' }> =>
  actor.type === 'holder' && actor.role === 'member'

async function usableKey(context: OperationContext, id: string): Promise<Key> {
  const key = await findKey(context, id)
  await checkAccountRank(context, key.account)
  if (key.deleted) throw rejected('key_deleted', { name: key.name })
  return key
}

/** The playground's own key cannot be replaced, and that of company tokens has no secret: it can be deleted, which stops them. */
async function clientKey(context: OperationContext, id: string, isDeleted = false): Promise<Key> {
  const key = await usableKey(context, id)
  const { purpose } = key
  if (purpose === 'playground' || (purpose === 'token' && !isDeleted)) throw rejected('built_in_key', { purpose })
  return key
}

function newSecret() {
  const secret = newApiKey()
  return { secret, hash: hashSecret(secret), lastFour: secret.slice(-4) }
}

/** Who learns the secret; the operator is no person here. */
const makerIn = ({ actor }: OperationContext) => (actor.type === 'holder' ? { person: actor.person.id } : {})

/** What operators make in an account of somebody else sees only what is made with it. */
async function madeBy(
  context: OperationContext,
  account: bigint,
): Promise<Pick<NewKey, 'madeBy' | 'person' | 'operator' | 'isolated'>> {
  const { actor } = context
  const isolated = await isForeign(context, account)
  if (actor.type !== 'holder') return { madeBy: 'command-line', operator: operatorIn(context), isolated }
  return { madeBy: actor.person.isProved ? 'console' : 'sign-up', isolated, ...makerIn(context) }
}

/** What the changed fields were. */
const changed = (row: KeyRow, written: object) =>
  Object.fromEntries(Object.entries(row).filter(([name]) => Object.hasOwn(written, name)))

async function rowOf(key: Key, { actor, storage }: OperationContext): Promise<KeyRow> {
  const rows = await keyRows(key.account, [key], storage, actor.type === 'holder')
  const [row] = actor.type === 'holder' ? rows : await withAccounts(rows, storage)
  if (!row) throw new Error('a key has no row')
  return row
}

/** Operators see whose key it is. */
async function withAccounts(rows: readonly KeyRow[], { accounts }: OperationContext['storage']) {
  const names = await accounts.names([...new Set(rows.map(({ account_id }) => BigInt(account_id)))])
  return rows.map((row) => ({ ...row, account: names.get(BigInt(row.account_id)) ?? '' }))
}

const HOUR_MS = 3_600_000
/**
 * How often an account holder may change keys, on all nodes, per hour. The rows of deleted keys stay, since receipts name them, and each
 * change makes all nodes look keys up again. A holder with many keys must be able to delete them soon.
 */
const MOST_CHANGES = { create: 200, rotate: 100, change: 600, delete: 600 } as const

async function countChange({ actor, storage }: OperationContext, action: keyof typeof MOST_CHANGES, account: bigint) {
  if (actor.type !== 'holder') return
  const most = MOST_CHANGES[action]
  const waitMs = await storage.signIns.countAttempt([
    { subject: `${action} keys of account ${account}`, most, windowMs: HOUR_MS },
  ])
  if (waitMs === undefined) return
  throw rejected('too_many_key_changes', { action, most, retryAfter: Math.max(1, Math.ceil(waitMs / 1_000)) })
}
