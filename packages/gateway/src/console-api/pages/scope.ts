// What of an account a person sees: an owner everything, a member the keys that they made, and what these cost.
import type { Key, Keys, SignedIn } from '../../storage/storage.ts'

export type Viewer = Pick<SignedIn, 'account' | 'person' | 'role'>

/** For filters of keys, sums and requests. */
export const scopeOf = ({ role, person }: Viewer): { person?: bigint } =>
  role === 'owner' ? {} : { person: person.id }

export const isVisible = ({ role, person }: Viewer, key: Pick<Key, 'person'>): boolean =>
  role === 'owner' || key.person === person.id

/** Whether the person may see what this key of the account has done. */
export async function isInScope(viewer: Viewer, key: bigint, keys: Pick<Keys, 'findWithAccount'>): Promise<boolean> {
  if (viewer.role === 'owner') return true
  const found = await keys.findWithAccount(key)
  return found !== undefined && isVisible(viewer, found.key)
}

/** The names of the keys of rows, such as requests. */
export async function keyNames(
  keys: Pick<Keys, 'names'>,
  rows: readonly { key: bigint }[],
): Promise<ReadonlyMap<bigint, string>> {
  const wanted = [...new Set(rows.map(({ key }) => key))]
  return wanted.length === 0 ? new Map() : await keys.names(wanted)
}
