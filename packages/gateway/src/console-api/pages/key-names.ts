// The names of keys, for lists of requests.
import type { Keys } from '../../storage/storage.ts'

export async function keyNames(
  keys: Pick<Keys, 'names'>,
  ids: readonly bigint[],
): Promise<ReadonlyMap<bigint, string>> {
  const wanted = [...new Set(ids)]
  return wanted.length === 0 ? new Map() : await keys.names(wanted)
}
