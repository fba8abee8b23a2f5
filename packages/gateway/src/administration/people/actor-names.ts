// The names of those who changed something: the email address of a person, the name of an admin key.
import type { Storage } from '../../storage/storage.ts'

type Who = { type: string; id: string }

/** Such as `person/7`, or `command-line`. */
export const shownActor = ({ type, id }: Who): string => (id === '' ? type : `${type}/${id}`)

/** Of the rows of a page, by `shownActor`. Those that are gone, and those that have no name, are absent. */
export async function actorNames(
  { people, adminKeys }: Pick<Storage, 'people' | 'adminKeys'>,
  rows: readonly { actor: Who }[],
): Promise<ReadonlyMap<string, string>> {
  const actors = new Map(rows.map(({ actor }) => [shownActor(actor), actor]))
  const names = new Map<string, string>()
  for (const [key, { type, id }] of actors) {
    if (!/^\d{1,18}$/.test(id)) continue
    const name =
      type === 'person'
        ? (await people.findById(BigInt(id)))?.email
        : type === 'admin-key'
          ? (await adminKeys.find({ id: BigInt(id) }))?.key.name
          : undefined
    if (name !== undefined) names.set(key, name)
  }
  return names
}
