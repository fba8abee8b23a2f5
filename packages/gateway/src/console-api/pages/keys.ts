// Keys: list, create, change, rotate and delete. A secret leaves the gateway once, in the answer that creates it.
import { hashSecret } from '../../access/authenticate.ts'
import { aboveCeiling } from '../../access/ceilings.ts'
import { newApiKey } from '../../access/secrets/new-api-key.ts'
import type { Catalogue } from '../../catalogue/catalogue.ts'
import { DEFAULT_GROUP } from '../../catalogue/offered-groups.ts'
import { formatUsd } from '../../money/amount.ts'
import { limitsJson } from '../../money/json.ts'
import { endOf, NO_LIMITS } from '../../money/limits.ts'
import type { Account, Ceiling, Key, KeyChanges, KeyFilter, SignedIn, Storage } from '../../storage/storage.ts'
import { badRequest, ConsoleRejection } from '../rejection.ts'
import type { ChangeKey, KeyPage, KeyQuery, KeyRow, KeyWithSecret, NewKey, RotateKey } from '../routes/keys.ts'
import { chosenGroup } from './groups.ts'
import { countKeyChange } from './key-rate.ts'
import { readTerms } from './key-terms.ts'
import { offersOfGroup } from './models.ts'

export type KeyPageDependencies = {
  catalogue(): Catalogue
  store: Pick<Storage, 'accounts' | 'keys' | 'spending' | 'signIns'>
  clock(): number
}

const PAGE = 50
/** Of one account, deleted ones not counted. */
const MOST_KEYS = 2_000
/** To write the terms of a key that others change at the same time. */
const MOST_ATTEMPTS = 10

const STATES = { active: 'active', expired: 'expired', deleted: 'revoked' } as const

/** Terms as requests name them. */
const FIELD_OF: Record<keyof Ceiling, string> = {
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

export async function listKeys(account: Account, query: KeyQuery, deps: KeyPageDependencies): Promise<KeyPage> {
  const filter = filterIn(query)
  // One more than is shown, to know whether there are more.
  const { keys, total } = await deps.store.keys.page(account.id, filter, PAGE + 1)
  const shown = keys.slice(0, PAGE)
  const next = keys.length > PAGE ? String(shown.at(-1)?.id) : null
  return { items: await keyRows(account, shown, deps), next, total }
}

const filterIn = ({ state, name, before }: KeyQuery): KeyFilter => ({
  ...(state === undefined ? {} : { state: STATES[state] }),
  ...(name ? { name } : {}),
  ...(before === undefined ? {} : { before: BigInt(before) }),
})

export async function createKey(
  { account, person }: Pick<SignedIn, 'account' | 'person'>,
  body: NewKey,
  deps: KeyPageDependencies,
): Promise<KeyWithSecret> {
  const { catalogue, store, clock } = deps
  const group = chosenGroup(catalogue().config, await store.accounts.holder(account.id), body.group ?? DEFAULT_GROUP)
  const context = { now: clock(), cap: undefined, group, modelsOf: modelsOf(deps) }
  const { name = '', expiresAt, cap, capPeriod, models, networks, ...limits } = readTerms(body, context)
  await countKeyChange('create', account, deps)
  const secret = newApiKey()
  const wanted = {
    account: account.id,
    person: person.id,
    hash: hashSecret(secret),
    lastFour: secret.slice(-4),
    madeBy: person.isProved ? 'console' : 'sign-up',
    name,
    group: group.id,
    expiresAt,
    cap,
    capPeriod,
    restrictions: { models, networks },
    limits: { ...NO_LIMITS, ...limits },
  } as const
  const key = await store.keys.createWithin(wanted, MOST_KEYS)
  if (key === undefined)
    throw new ConsoleRejection({
      code: 'too_many_keys',
      message: `An account can have ${MOST_KEYS} active keys. Delete some first.`,
    })
  return { key: await keyRow(account, key, deps), secret }
}

export async function changeKey(
  account: Account,
  id: string,
  body: ChangeKey,
  deps: KeyPageDependencies,
): Promise<KeyRow> {
  const key = await ownKey(account, id, deps)
  if (key.revoked) throw deleted(key)
  const { config } = deps.catalogue()
  const present = config.groups.get(key.group) ?? { id: key.group, models: [], multiplierMillionths: 0n }
  const group =
    body.group === undefined ? present : chosenGroup(config, await deps.store.accounts.holder(account.id), body.group)
  const context = { now: deps.clock(), cap: key.cap, group, modelsOf: modelsOf(deps) }
  const terms = readTerms(body, context)
  const models = 'models' in terms ? terms.models : key.restrictions.models
  const lost = group.id === key.group ? [] : (models ?? []).filter((each) => !context.modelsOf(group.id).includes(each))
  if (lost.length > 0)
    throw badRequest(
      'models',
      `The group '${group.id}' does not offer models that this key is limited to: ${lost.join(', ')}.`,
    )
  const changes = { ...terms, ...(group.id === key.group ? {} : { group: group.id }) }
  checkCeiling(key, changes)
  if (Object.keys(changes).length > 0) {
    await countKeyChange('change', account, deps)
    await writeTerms(account, key, changes, deps)
  }
  return keyRow(account, await ownKey(account, id, deps), deps)
}

/** Other fields may be changed at once, and the ceiling may: it is checked again then. */
async function writeTerms(account: Account, key: Key, changes: KeyChanges, deps: KeyPageDependencies): Promise<void> {
  let known = key
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    if (await deps.store.keys.setTerms(key.id, changes, known.revision)) return
    known = await ownKey(account, String(key.id), deps)
    checkCeiling(known, changes)
  }
  throw new ConsoleRejection({ code: 'conflict', message: 'This key is being changed elsewhere. Try again.' })
}

function checkCeiling(key: Key, changes: KeyChanges): void {
  const above = aboveCeiling(key, changes)
  if (above) throw badRequest(FIELD_OF[above.field], above.message)
}

export async function rotateKey(
  { account, person }: Pick<SignedIn, 'account' | 'person'>,
  id: string,
  { grace_seconds }: RotateKey,
  deps: KeyPageDependencies,
): Promise<KeyWithSecret> {
  const key = await clientKey(account, id, deps)
  await countKeyChange('rotate', account, deps)
  const secret = newApiKey()
  const formerUntil = grace_seconds === 0 ? undefined : deps.clock() + grace_seconds * 1_000
  const done = await deps.store.keys.rotate(key.id, {
    hash: hashSecret(secret),
    lastFour: secret.slice(-4),
    formerUntil,
    person: person.id,
  })
  if (!done) throw deleted(key)
  return { key: await keyRow(account, await ownKey(account, id, deps), deps), secret }
}

export const showKey = async (account: Account, id: string, deps: KeyPageDependencies): Promise<KeyRow> =>
  keyRow(account, await ownKey(account, id, deps), deps)

export async function deleteKey(account: Account, id: string, deps: KeyPageDependencies): Promise<KeyRow> {
  const key = await clientKey(account, id, deps)
  await countKeyChange('delete', account, deps)
  await deps.store.keys.revoke(key.id)
  return keyRow(account, { ...key, revoked: true }, deps)
}

/** A key of another account is reported as unknown. */
async function ownKey(account: Account, id: string, { store }: KeyPageDependencies): Promise<Key> {
  const found = /^\d{1,18}$/.test(id) ? await store.keys.findWithAccount(BigInt(id)) : undefined
  if (found?.account.id === account.id) return found.key
  throw new ConsoleRejection({ code: 'not_found', message: `Your account has no key ${id}.` })
}

async function clientKey(account: Account, id: string, deps: KeyPageDependencies): Promise<Key> {
  const key = await ownKey(account, id, deps)
  if (key.revoked) throw deleted(key)
  if (key.purpose === 'client') return key
  throw new ConsoleRejection({
    code: 'built_in_key',
    message: 'This key belongs to the playground. It can be limited, but not rotated or deleted.',
  })
}

const deleted = ({ name }: Key): ConsoleRejection =>
  new ConsoleRejection({ code: 'key_deleted', message: `The key '${name}' is deleted. Create a new one.` })

const modelsOf =
  ({ catalogue }: KeyPageDependencies) =>
  (group: string): readonly string[] =>
    offersOfGroup(catalogue(), group).map(({ model }) => model.id)

export async function keyRows(account: Account, keys: readonly Key[], deps: KeyPageDependencies): Promise<KeyRow[]> {
  const used = await deps.store.spending.lastUsed(
    account.id,
    keys.map(({ id }) => id),
  )
  return keys.map((key) => rowOf(key, used.get(key.id), deps.clock()))
}

const keyRow = async (account: Account, key: Key, deps: KeyPageDependencies): Promise<KeyRow> =>
  rowOf(key, (await deps.store.spending.lastUsed(account.id, [key.id])).get(key.id), deps.clock())

function rowOf(key: Key, usedAt: number | undefined, now: number): KeyRow {
  const { expiresAt, cap, capPeriod, limits, restrictions, formerUntil } = key
  const isExpired = expiresAt !== undefined && expiresAt <= now
  return {
    id: String(key.id),
    name: key.name,
    last_four: key.lastFour,
    group: key.group,
    purpose: key.purpose,
    state: key.revoked ? 'deleted' : isExpired ? 'expired' : 'active',
    created_at: isoTime(key.createdAt),
    expires_at: isoOrNull(expiresAt),
    last_used_at: isoOrNull(usedAt),
    // Neither secret of a key that is deleted or has expired works.
    former_secret_until:
      !key.revoked && !isExpired && formerUntil !== undefined && formerUntil > now ? isoTime(formerUntil) : null,
    cap_usd: cap === undefined ? null : formatUsd(cap),
    cap_period: capPeriod ?? null,
    cap_resets_at: capPeriod === undefined ? null : isoTime(endOf(capPeriod, now)),
    spent_under_cap_usd: formatUsd(key.spentUnderCap),
    spent_usd: formatUsd(key.spent),
    held_usd: formatUsd(key.held),
    models: restrictions.models === undefined ? null : [...restrictions.models],
    networks: restrictions.networks === undefined ? null : [...restrictions.networks],
    limits: limitsJson(limits),
  }
}

const isoTime = (ms: number): string => new Date(ms).toISOString()
const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : isoTime(ms))
