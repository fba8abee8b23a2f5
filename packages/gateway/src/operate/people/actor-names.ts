// What people and things are called now: rows of the audit log, revisions and runs keep ids, which do not change.
import { isId } from '../../request/schema/schema.ts'
import type { Storage } from '../../storage/storage.ts'

type Who = { type: string; id: string }

/** Such as `person/7`, or `command-line`. */
export const shownActor = ({ type, id }: Who): string => (id === '' ? type : `${type}/${id}`)

/** The names of the actors on a page, by `shownActor`. Actors that are gone, and those that have no name, are absent. */
export const actorNames = (
  storage: NamingStorage,
  rows: readonly { actor: Who }[],
): Promise<ReadonlyMap<string, string>> =>
  namesOf(
    storage,
    rows.map(({ actor }) => shownActor(actor)),
  )

type NamingStorage = Pick<Storage, 'people' | 'adminKeys' | 'accounts' | 'keys'>

/** `named`: such as `key/7`, which is also what the names are found by. */
export async function namesOf(
  { people, adminKeys, accounts, keys }: NamingStorage,
  named: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const nouns = { person: people, 'admin-key': adminKeys, account: accounts, key: keys }
  const found = await Promise.all(
    Object.entries(nouns).map(async ([type, { names }]) => [type, await names(idsOf(type, named))] as const),
  )
  return new Map(found.flatMap(([type, names]) => [...names].map(([id, name]) => [`${type}/${id}`, name] as const)))
}

function idsOf(type: string, named: readonly string[]): bigint[] {
  const ids = named.flatMap((each) => (each.startsWith(`${type}/`) ? [each.slice(type.length + 1)] : []))
  return [...new Set(ids.filter(isId))].map(BigInt)
}
