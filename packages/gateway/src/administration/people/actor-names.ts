// The names of those who changed something: the email address of a person, the name of an admin key.
import { isId } from '../../request/schema/schema.ts'
import type { Storage } from '../../storage/storage.ts'

type Who = { type: string; id: string }

/** Such as `person/7`, or `command-line`. */
export const shownActor = ({ type, id }: Who): string => (id === '' ? type : `${type}/${id}`)

/** Of the rows of a page, by `shownActor`. Those that are gone, and those that have no name, are absent. */
export async function actorNames(
  { people, adminKeys }: Pick<Storage, 'people' | 'adminKeys'>,
  rows: readonly { actor: Who }[],
): Promise<ReadonlyMap<string, string>> {
  const idsOf = (type: string) => {
    const ids = rows.flatMap(({ actor }) => (actor.type === type && isId(actor.id) ? [actor.id] : []))
    return [...new Set(ids)].map(BigInt)
  }
  const [persons, keys] = [await people.names(idsOf('person')), await adminKeys.names(idsOf('admin-key'))]
  return new Map([
    ...[...persons].map(([id, name]) => [`person/${id}`, name] as const),
    ...[...keys].map(([id, name]) => [`admin-key/${id}`, name] as const),
  ])
}
