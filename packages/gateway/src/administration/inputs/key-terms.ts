// What a key may do, as its holder or an operator writes it. Nothing is written before all of it is checked.
import Type, { type Static } from 'typebox'
import { networkErrors } from '../../access/origin.ts'
import { groupsFor } from '../../catalogue/offered-groups.ts'
import type { FileConfig, Group } from '../../config/types.ts'
import type { Nanos } from '../../money/amount.ts'
import type { KeyChanges } from '../../storage/storage.ts'
import type { OperationContext } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { CAP, LIMITS, NAME, readCap, readFuture, readLimits, TIME } from './fields.ts'

const LONGEST_NAME = 100
const MOST_ENTRIES = 100

const nullable = <T extends Type.TSchema>(schema: T) => Type.Optional(Type.Union([schema, Type.Null()]))
const list = (maxLength: number) => Type.Array(Type.String({ maxLength }), { maxItems: MOST_ENTRIES })

/** Null removes a restriction; an absent one stays. */
export const TERMS = {
  group: Type.Optional(Type.String({ maxLength: 200 })),
  ...CAP,
  expires_at: nullable(TIME),
  models: nullable(list(300)),
  networks: nullable(list(100)),
  limits: Type.Optional(LIMITS),
}
const WRITTEN = Type.Object({ name: Type.Optional(NAME), ...TERMS })
export type WrittenTerms = Static<typeof WRITTEN>

/** `cap`: the present one. `offered`: the models of the key's group. */
type Present = { cap: Nanos | undefined; group: string; offered: readonly string[] }

/** Only the fields that are present. */
export function readTerms(written: WrittenTerms, { cap: presentCap, group, offered }: Present): KeyChanges {
  const { name, expires_at, models, networks, limits } = written
  const terms: KeyChanges = readCap(written, presentCap)
  if (name !== undefined) terms.name = readName(name)
  if (expires_at !== undefined) terms.expiresAt = expires_at === null ? undefined : readFuture('expires_at', expires_at)
  if (models !== undefined) terms.models = models === null ? undefined : readModels(models, group, offered)
  if (networks !== undefined) terms.networks = networks === null ? undefined : readNetworks(networks)
  return { ...terms, ...readLimits(limits ?? {}) }
}

const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
/** Control characters, and those that change the direction of text or have no width: lists of keys must show what is there. */
const MISLEADING = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff]/u

function readName(written: string): string {
  const name = written.trim()
  if (name.length <= LONGEST_NAME && VISIBLE.test(name) && !MISLEADING.test(name)) return name
  throw rejected('misleading_name', { field: 'name', most: LONGEST_NAME })
}

function readModels(written: readonly string[], group: string, offered: readonly string[]): readonly string[] {
  const models = readList('models', written)
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

function readNetworks(written: readonly string[]): readonly string[] {
  const networks = readList('networks', written)
  const errors = networkErrors(networks)
  if (errors.length > 0) throw rejected('wrong_networks', { field: 'networks', errors: errors.join('; ') })
  return networks
}

/** To allow nothing is never intended, and to allow everything might not be. */
function readList(field: string, written: readonly string[]): readonly string[] {
  const entries = [...new Set(written.map((entry) => entry.trim()).filter((entry) => entry !== ''))]
  if (entries.length === 0) throw rejected('empty_list', { field })
  return entries
}

/** Operators may choose any group. Holders get the same answer for one that does not exist and one that is not offered: its name may be a secret. */
export async function chosenGroup({ actor, config, storage }: OperationContext, id: string): Promise<Group> {
  const isHolder = actor.type === 'holder'
  const groups = isHolder
    ? groupsFor(config, await storage.accounts.holder(actor.account.id))
    : [...config.groups.values()]
  const group = groups.find((each) => each.id === id)
  if (group) return group
  throw rejected('unknown_group', { field: 'group', group: id, available: groups.map((each) => each.id).join(', ') })
}

/** The models of a group; a group that no longer exists has none. */
export function modelsOfGroup({ models, groups }: FileConfig, id: string): string[] {
  const all = [...models.keys()]
  const listed = groups.get(id)?.models ?? []
  return listed.includes('*') ? all : all.filter((model) => listed.includes(model))
}
