// Deletes images and videos that have expired, in small pages with pauses.
import type { Every } from '../every.ts'

const INTERVAL_MS = 60_000
const PAUSE_MS = 20
const PAGE = 20

export function sweepMedia(every: Every, mediaStore: { sweep(limit: number): Promise<number> }): void {
  const run = async () => ((await mediaStore.sweep(PAGE)) === PAGE ? PAUSE_MS : undefined)
  every(INTERVAL_MS, { name: 'delete expired media', scope: 'cluster', run })
}
