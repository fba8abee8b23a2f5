// Removes contents that have expired, in small pages with pauses, so that other writers never wait for long.
import type { Contents } from '../../storage/contents.ts'
import type { Every } from '../every.ts'

const INTERVAL_MS = 60_000
const PAUSE_MS = 20
const PAGE = 50

export function sweepContents(every: Every, contents: Pick<Contents, 'sweep'>): void {
  const run = async () => ((await contents.sweep(PAGE)) === PAGE ? PAUSE_MS : undefined)
  every(INTERVAL_MS, { name: 'remove expired contents', scope: 'cluster', run })
}
