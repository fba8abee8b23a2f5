// The groups of an account in the console's pages.
import { DEFAULT_GROUP, groupsFor } from '../../catalogue/offered-groups.ts'
import type { FileConfig, Group } from '../../config/types.ts'
import { formatMillionths } from '../../money/amount.ts'
import type { Holder } from '../../storage/storage.ts'
import { ConsoleRejection } from '../rejection.ts'
import type { GroupRow } from '../routes/keys.ts'

/** The same answer for a group that does not exist and for one that is not offered: its name may be a secret. */
export function chosenGroup(config: Pick<FileConfig, 'groups'>, holder: Holder, id: string): Group {
  const group = groupsFor(config, holder).find((each) => each.id === id)
  if (group) return group
  throw new ConsoleRejection({
    code: 'unknown_group',
    param: 'group',
    message: `Your account cannot use a group '${id}'. GET /console/api/groups lists those it can.`,
  })
}

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
