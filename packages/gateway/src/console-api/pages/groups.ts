// The groups of an account in the console's pages.
import { groupsFor } from '../../catalogue/offered-groups.ts'
import { DEFAULT_GROUP } from '../../config/sections/groups.ts'
import type { FileConfig } from '../../config/types.ts'
import { formatMillionths } from '../../money/amount.ts'
import type { Holder } from '../../storage/storage.ts'
import type { GroupRow } from '../routes/keys.ts'

/** `countModels`: how many models a group offers. */
export function listGroups(
  config: Pick<FileConfig, 'groups'>,
  holder: Holder,
  countModels: (group: string) => number,
): GroupRow[] {
  return groupsFor(config, holder).map(({ id, multiplierMillionths }) => ({
    id,
    multiplier: formatMillionths(multiplierMillionths),
    models: countModels(id),
    is_default: id === DEFAULT_GROUP,
  }))
}
