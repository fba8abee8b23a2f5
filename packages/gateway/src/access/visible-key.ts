// Which stored responses, tasks and receipts a key sees.
import { firstIdAt } from '../request/ids.ts'
import type { Caller, MadeWith } from '../storage/storage.ts'

/**
 * A key that was handed out for something particular, or whose secret an operator learned, sees what was made with it; any other key sees all
 * of its account (undefined).
 */
export const visibleKey = ({ key, isRestricted, ownSince }: Visibility): MadeWith | undefined =>
  isRestricted ? { key, since: ownSince ?? 0 } : undefined

type Visibility = Pick<Caller, 'key' | 'isRestricted' | 'ownSince'>

/** Whether the caller sees something that remembers whose it is. `id`: that of its request, which says when it was made. */
export function isVisibleTo(caller: Visibility & Pick<Caller, 'account'>, made: MadeBy & { account: bigint }): boolean {
  return made.account === caller.account && isOwn(visibleKey(caller), made)
}

type MadeBy = { key: bigint; id: bigint }
export const isOwn = (visible: MadeWith | undefined, { key, id }: MadeBy): boolean =>
  visible === undefined || (key === visible.key && id >= firstIdAt(visible.since))
