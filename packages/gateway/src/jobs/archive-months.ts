// Moves rows of old months from the database to the media store, in small steps with pauses.
import type { FileConfig } from '../config/types.ts'
import { VERSION } from '../observe/version.ts'
import type { Archive, Nodes } from '../storage/storage.ts'
import type { Every } from './every.ts'

const HOUR_MS = 3_600_000
const FIRST_MS = 600_000
const PAUSE_MS = 20

type Terms = Pick<FileConfig, 'archive' | 'retention'>
type Stores = { archive: Pick<Archive, 'archive'>; nodes: Pick<Nodes, 'list'> }

/** `terms`: as the configuration has them now. */
export function archiveMonths(every: Every, { archive, nodes }: Stores, terms: () => Terms): void {
  let archiving: ReturnType<Archive['archive']> | undefined
  every(HOUR_MS, {
    name: 'archive months',
    scope: 'cluster',
    firstMs: FIRST_MS,
    async run() {
      const { archive: wanted, retention } = terms()
      if (wanted.afterMonths === 'off' || !(await areAlike(nodes))) {
        archiving = undefined
        return undefined
      }
      const keptMs = retention.requests === 'off' ? 0 : retention.requests
      archiving ??= archive.archive(wanted.afterMonths, keptMs)
      const { done } = await archiving.next().catch((error) => {
        archiving = undefined
        throw error
      })
      if (!done) return PAUSE_MS
      archiving = undefined
      return undefined
    },
  })
}

/** A process of another version may know of no archive: it would miss the rows. */
async function areAlike(nodes: Stores['nodes']): Promise<boolean> {
  return (await nodes.list()).every(({ state }) => state?.version === VERSION)
}
