// The one way to change what is stored: validated as part of the whole configuration, written as one revision, then in force here at once.
import { compileCidrs, matchesCidrs } from '@trivium/http/addresses/client-address.ts'
import type { AccountCipher } from '../../access/secrets/account-cipher.ts'
import type { Assembled } from '../../config/assemble.ts'
import { canonicalJson } from '../../config/hash.ts'
import { mapSecrets } from '../../config/secret-paths.ts'
import { entryKey, overlaps } from '../../config/stored.ts'
import type { FileConfig } from '../../config/types.ts'
import type {
  EntryChange,
  EntryKind,
  NewStoredSecret,
  SealedEntry,
  StoredConfiguration,
} from '../../storage/storage.ts'
import type { Mistake } from '../../yaml/document.ts'
import { actorText, audited, type Effects, type OperationContext } from '../operation.ts'
import { OperationRejected, rejected } from '../rejections.ts'
import { countEffects } from './effect-counts.ts'
import { effectsOf } from './effects.ts'
import type { ConfigurationParts } from './parts.ts'
import { type AboutSecret, isNamed, sealValue, unsealEntries } from './secrets.ts'

/** To write a change while others write theirs. */
const MOST_ATTEMPTS = 10
const MOST_ENTRIES = 5_000
/** As JSON. */
const LONGEST_VALUE = 64 * 1024

/** The newest revision, and the configuration with it. */
export type State = { stored: StoredConfiguration; loaded: Assembled }

/** New secrets are text, those that stay are named. `after` undefined: the entry is deleted. */
export type Wanted = { kind: EntryKind; id: string; after: unknown }
/** `erased`: ids of secrets. `effects`: for a dry run, besides those of every change. `note`: of the secrets that are new. */
export type Plan = { changes: readonly Wanted[]; erased?: readonly string[]; effects?: Effects; note?: string }

type Action = {
  name: string
  object: string
  reason: string | undefined
}

export function partsOf({ configuration }: OperationContext): ConfigurationParts {
  if (!configuration) throw new Error('this process cannot change the configuration')
  return configuration
}

export async function readState(context: OperationContext): Promise<State> {
  const parts = partsOf(context)
  const stored = await context.storage.configuration.read()
  const inForce = parts.assembled()
  if (inForce.config.revision === stored.revision) return { stored, loaded: inForce }
  const entries = unsealEntries(stored, await context.accountCipher())
  const result = await parts.assemble({ revision: stored.revision, entries })
  // Entries of the file may name what was deleted on a node with another file: then this one keeps what it has.
  return { stored, loaded: result.config ? result : inForce }
}

/** `plan` is called again if another change comes first. Resolves with the state afterwards. */
export async function changeConfiguration(
  context: OperationContext,
  { name, object, reason }: Action,
  plan: (state: State) => Plan | Promise<Plan>,
): Promise<State> {
  const cipher = await context.accountCipher()
  for (let attempt = 0; ; attempt += 1) {
    const state = await readState(context)
    const { changes: wanted, erased = [], effects: own, note } = await plan(state)
    const about = { by: actorText(context.actor), ...(note ? { note } : {}) }
    const made: NewStoredSecret[] = []
    const changes = wanted.map((each) => sealed(each, state.stored, cipher, made, about)).filter(isChange)
    if (changes.length === 0 && erased.length === 0) return state
    checkOwner(context, changes)
    const next = await checkWhole(context, state, changes, made, cipher)
    checkReach(context, state.loaded.config, next.config)
    await checkOwnersSignIn(context, state.loaded.config, next.config)
    const known = new Map([...state.stored.secrets, ...made].map((secret) => [secret.id, shownInAudit(secret)]))
    const effects = effectsOf(state.loaded.config, next.config, changes)
    const { configuration } = audited(context, name, {
      object,
      before: auditFields(object, changes, 'before', known),
      after: withEffects(auditFields(object, changes, 'after', known), Object.values(effects)),
      reason: reason ?? '',
      ...(context.dryRun
        ? {
            effects: {
              ...own,
              ...(await countEffects(context, state.loaded.config, next.config, changes)),
              ...effects,
            },
          }
        : {}),
    })
    if (await configuration.write(state.stored.revision, changes, made, erased)) break
    if (attempt === MOST_ATTEMPTS) throw rejected('configuration_changed', {})
  }
  // It is written: where this fails, the process finds it within a second, as others do.
  await partsOf(context)
    .refresh()
    .catch(() => {})
  return await readState(context)
}

/** The configuration with these changes, checked as before a write. */
export async function tryChanges(
  context: OperationContext,
  state: State,
  wanted: readonly Wanted[],
): Promise<Assembled> {
  const cipher = await context.accountCipher()
  const made: NewStoredSecret[] = []
  const changes = wanted.map((each) => sealed(each, state.stored, cipher, made)).filter(isChange)
  return changes.length === 0 ? state.loaded : await checkWhole(context, state, changes, made, cipher)
}

function sealed(
  { kind, id, after }: Wanted,
  { entries }: StoredConfiguration,
  cipher: AccountCipher,
  made: NewStoredSecret[],
  about: AboutSecret = {},
): EntryChange {
  const before = findEntry(entries, kind, id)?.value
  return {
    kind,
    id,
    before,
    after: after === undefined ? undefined : sealValue({ kind, id, value: after }, cipher, made, about),
  }
}

/** How people sign in, where their links go, and how long the trace of changes is kept: of these, nobody below an owner disposes. */
const OWNERS_SETTINGS = ['mail', 'sign_in', 'server.public_url', 'retention.audit']

/** Whether a setting, by its path, is one of these. */
export const isOwners = (id: string): boolean => OWNERS_SETTINGS.some((setting) => overlaps(id, setting))

function checkOwner({ actor }: OperationContext, changes: readonly EntryChange[]): void {
  if (!('role' in actor) || actor.role === 'owner') return
  const found = changes.find(({ kind, id }) => kind === 'setting' && isOwners(id))
  if (found) throw rejected('owner_needed', { setting: found.id })
}

/** Who could not take a change back any more must not make it: whoever signs in through a provider has no shell. */
function checkReach({ actor }: OperationContext, before: FileConfig, { server }: FileConfig): void {
  const { adminNetworks } = server
  if (!('address' in actor) || adminNetworks.length === 0) return
  if (canonicalJson(adminNetworks) === canonicalJson(before.server.adminNetworks)) return
  const { address } = actor
  if (!matchesCidrs(address, compileCidrs(adminNetworks).cidrs))
    throw rejected('locks_out', { setting: 'server.admin_networks', address: address || 'unknown' })
}

/**
 * Without passwords, an owner must have signed in at a provider before. Owners keep their passwords for an outage, but few know one that
 * they do not use.
 */
async function checkOwnersSignIn({ storage }: OperationContext, before: FileConfig, after: FileConfig): Promise<void> {
  if (after.signIn.password || canonicalJson(before.signIn) === canonicalJson(after.signIn)) return
  const issuers = after.signIn.providers.map(({ issuer }) => issuer)
  if (await storage.identities.hasOwner(issuers)) return
  throw rejected('no_owner_at_provider', { providers: after.signIn.providers.map(({ id }) => id).join(', ') })
}

const isChange = ({ before, after }: EntryChange): boolean =>
  (before === undefined) !== (after === undefined) || canonicalJson(before) !== canonicalJson(after)

export const findEntry = (entries: readonly SealedEntry[], kind: EntryKind, id: string): SealedEntry | undefined =>
  entries.find((entry) => entry.kind === kind && entry.id === id)

/** The whole configuration with these changes. */
async function checkWhole(
  context: OperationContext,
  { stored, loaded }: State,
  changes: readonly EntryChange[],
  made: readonly NewStoredSecret[],
  cipher: AccountCipher,
): Promise<Assembled> {
  const revision = stored.revision + 1
  const isTouched = ({ kind, id }: SealedEntry) => changes.some((each) => each.kind === kind && each.id === id)
  const written = changes.flatMap(({ kind, id, after }) =>
    after === undefined ? [] : [{ kind, id, value: after, revision }],
  )
  const entries = [...stored.entries.filter((entry) => !isTouched(entry)), ...written]
  if (entries.length > MOST_ENTRIES) throw rejected('too_many_entries', { most: MOST_ENTRIES })
  for (const { kind, id, value } of written)
    if (JSON.stringify(value).length > LONGEST_VALUE) throw rejected('entry_too_large', { entry: `${kind} '${id}'` })
  const secrets = [...stored.secrets, ...made.map((secret) => ({ ...secret, createdAt: 0 }))]
  const plain = unsealEntries({ entries, secrets }, cipher)
  const result = await partsOf(context).assemble({ revision, entries: plain }, new Set(written.map(entryKey)))
  const isDeletion = written.length === 0
  if (!result.config) throw mistakesOf(result.mistakes, isDeletion)
  const wasInvalid = ({ kind, id }: SealedEntry) =>
    loaded.invalid.some(({ entry }) => entry.kind === kind && entry.id === id)
  const broken = result.invalid.map(({ entry }) => entry).filter((entry) => !wasInvalid(entry))
  if (broken.length > 0) {
    const named = broken.map(({ kind, id }) => `${kind} '${id}'`).join(', ')
    throw rejected('breaks_entries', { named })
  }
  return result
}

/** What a deletion makes wrong in the file is named there: a conflict. */
export function mistakesOf(mistakes: readonly Mistake[], isDeletion: boolean): OperationRejected {
  const [inFile] = mistakes.filter(({ line }) => line !== undefined)
  if (inFile && (isDeletion || mistakes.every(({ line }) => line !== undefined)))
    return rejected('named_by_file', { place: `${inFile.file}:${inFile.line}`, mistake: inFile.message })
  const all = mistakes.map(({ message }) => ({
    reason: 'configuration_mistake' as const,
    details: partsOfMessage(message),
  }))
  const [first] = all
  return first ? new OperationRejected(first, all) : rejected('configuration_changed', {})
}

/** `stored upstreams[main].keys: is missing` -> the field of the input, and the sentence. */
function partsOfMessage(message: string): { field: string; mistake: string } {
  const found = /^stored (?:\w+\[[^\]]*\]\.?|)([\w.[\]-]*): (.*)$/s.exec(message)
  // A mistake of the configuration as a whole names the entry only in its message.
  return found?.[1] ? { field: found[1], mistake: found[2] ?? '' } : { field: '', mistake: message }
}

/** A fingerprint, and the last characters by which people know the secret. */
const shownInAudit = ({ fingerprint, lastFour }: Pick<NewStoredSecret, 'fingerprint' | 'lastFour'>): string =>
  lastFour === '' ? fingerprint : `${fingerprint} ...${lastFour}`

/** The fields of the entry that the row is about, or the values of entries by their names; secrets as fingerprints. */
function auditFields(
  object: string,
  changes: readonly EntryChange[],
  side: 'before' | 'after',
  fingerprints: ReadonlyMap<string, string>,
): Record<string, unknown> | undefined {
  const shown = (change: EntryChange) =>
    mapSecrets({ ...change, value: change[side] }, (secret) =>
      isNamed(secret) ? (fingerprints.get(secret.$secret) ?? null) : null,
    )
  const [only, ...others] = changes
  if (only && others.length === 0 && object === `${only.kind}/${only.id}`)
    return shown(only) as Record<string, unknown> | undefined
  const present = changes.filter((change) => change[side] !== undefined)
  if (present.length === 0) return undefined
  return Object.fromEntries(present.map((change) => [`${change.kind}/${change.id}`, shown(change)]))
}

const withEffects = (after: Record<string, unknown> | undefined, effects: readonly string[]) =>
  effects.length === 0 ? after : { ...after, effects }
