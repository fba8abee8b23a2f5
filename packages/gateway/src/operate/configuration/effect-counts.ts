// What a change of the configuration does in numbers: for the person who is asked before.
import { compileCatalogue } from '../../catalogue/catalogue.ts'
import type { FileConfig } from '../../config/types.ts'
import type { EntryChange } from '../../storage/storage.ts'
import type { Effects, OperationContext } from '../operation.ts'

/** Only what is not zero. */
export async function countEffects(
  { storage }: OperationContext,
  before: FileConfig,
  after: FileConfig,
  changes: readonly EntryChange[],
): Promise<Effects> {
  const [offered, left] = [before, after].map(offersIn) as [OffersByGroup, OffersByGroup]
  const lostModels = [...idsIn(offered)].filter((id) => !idsIn(left).has(id))
  const lostIn = [...offered].filter(([group, ids]) => [...ids].some((id) => !left.get(group)?.has(id)))
  const changed = changes.filter(({ kind }) => kind === 'group').map(({ id }) => id)
  const groups = new Set([...changed, ...lostIn.map(([group]) => group)])
  const keys = groups.size === 0 ? new Map<string, number>() : await storage.keys.countByGroup()
  const keysIn = (ids: readonly string[]) => ids.reduce((sum, id) => sum + (keys.get(id) ?? 0), 0)
  const counted = {
    models_no_longer_offered: lostModels.length,
    keys_in_group: keysIn(changed),
    keys_that_lose_models: keysIn(lostIn.map(([group]) => group)),
  }
  return Object.fromEntries(Object.entries(counted).filter(([, count]) => count > 0))
}

type OffersByGroup = Map<string, ReadonlySet<string>>

const offersIn = (config: FileConfig): OffersByGroup =>
  new Map([...compileCatalogue(config, 0).offers].map(([group, offers]) => [group, new Set(offers.keys())]))

const idsIn = (offers: OffersByGroup): Set<string> => new Set([...offers.values()].flatMap((ids) => [...ids]))
