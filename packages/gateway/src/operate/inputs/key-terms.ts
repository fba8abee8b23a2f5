// What a key may do, as its holder or an operator writes it. Nothing is written before all of it is checked.
import type { Static } from 'typebox'
import { canonicalTags, tagError } from '../../access/attribution/tags.ts'
import { networkErrors } from '../../access/origin.ts'
import { groupsFor } from '../../catalogue/offered-groups.ts'
import type { FileConfig, Group } from '../../config/types.ts'
import type { Nanos } from '../../money/amount.ts'
import type { KeyChanges } from '../../storage/storage.ts'
import { need, type OperationContext } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { readCap, readFuture, readLimits } from './fields.ts'
import type { CHANGE_KEY } from './schemas.ts'

/** `cap`: the present one. `offered`: the models of the key's group. */
type Present = { cap: Nanos | undefined; group: string; offered: readonly string[] }

/** Only the fields that are present. */
export function readTerms(
  written: Static<typeof CHANGE_KEY>,
  { cap: presentCap, group, offered }: Present,
): KeyChanges {
  const { name, expires_at, models, networks, limits, tags, tags_locked } = written
  const terms: KeyChanges = readCap(written, presentCap)
  if (name !== undefined) terms.name = name.trim()
  if (expires_at !== undefined) terms.expiresAt = expires_at === null ? undefined : readFuture('expires_at', expires_at)
  if (models !== undefined) terms.models = models === null ? undefined : readModels(models, group, offered)
  if (networks !== undefined) terms.networks = networks === null ? undefined : readNetworks(networks)
  if (tags !== undefined) terms.tags = tags === null ? [] : readDefaultTags(tags)
  if (tags_locked !== undefined) terms.areTagsLocked = tags_locked
  return { ...terms, ...readLimits(limits ?? {}) }
}

/** Those of a key or of a member. */
export function readDefaultTags(written: readonly string[]): readonly string[] {
  const tags = canonicalTags(written)
  for (const tag of tags) {
    const error = tagError(tag)
    if (error !== undefined) throw rejected('wrong_tags', { field: 'tags', message: error })
  }
  return tags
}

function readModels(written: readonly string[], group: string, offered: readonly string[]): readonly string[] {
  const models = readList(written)
  checkOffered(models, group, offered)
  return models
}

export function checkOffered(models: readonly string[], group: string, offered: readonly string[]): void {
  const unknown = models.filter((id) => !offered.includes(id))
  if (unknown.length === 0) return
  throw rejected('unknown_models', {
    field: 'models',
    models: unknown.join(', '),
    group,
    available: offered.join(', '),
  })
}

export function readNetworks(written: readonly string[]): readonly string[] {
  const networks = readList(written)
  const errors = networkErrors(networks)
  if (errors.length > 0) throw rejected('wrong_networks', { field: 'networks', errors: errors.join('; ') })
  return networks
}

const readList = (written: readonly string[]): readonly string[] => [
  ...new Set(written.map((entry) => entry.trim()).filter((entry) => entry !== '')),
]

/**
 * Operators may choose any group, but another price is money. Holders get the same answer for one that does not exist and one that is not
 * offered: its name may be a secret. `account`: its id, or the address of the owner of one that does not exist yet.
 */
export async function chosenGroup(
  { actor, config, storage }: OperationContext,
  id: string,
  account: bigint | string | undefined,
): Promise<Group> {
  const isHolder = actor.type === 'holder'
  const isNew = typeof account !== 'bigint'
  const emails = isNew && account !== undefined ? [account] : []
  const holder = isNew ? { account: -1n, emails, groups: [] } : await storage.accounts.holder(account)
  const offered = groupsFor(config, holder)
  const groups = isHolder ? offered : [...config.groups.values()]
  const group = groups.find((each) => each.id === id)
  if (!group)
    throw rejected('unknown_group', { field: 'group', group: id, available: groups.map((each) => each.id).join(', ') })
  if (!isHolder && !hasPriceOf(group, offered, config)) need(actor, 'money')
  return group
}

/** Whether each model of the group has the price that it has in one of the others. */
const hasPriceOf = (group: Group, others: readonly Group[], config: FileConfig): boolean =>
  modelsOfGroup(config, group.id).every((model) =>
    others.some((other) => priceIn(other, model) === priceIn(group, model)),
  )

const priceIn = ({ prices, multiplierMillionths }: Group, model: string): string | bigint =>
  prices?.get(model)?.priceVersion ?? multiplierMillionths

/** The models of a group; a group that no longer exists has none. */
export function modelsOfGroup({ models, groups }: FileConfig, id: string): string[] {
  const all = [...models.keys()]
  const listed = groups.get(id)?.models ?? []
  return listed.includes('*') ? all : all.filter((model) => listed.includes(model))
}
