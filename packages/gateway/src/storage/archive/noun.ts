// The archive as the rest of the program sees it.
import { monthEnd } from '../sql/months/bounds.ts'
import { archivingOver } from './archiving.ts'
import type { ArchivedConnection } from './lists.ts'

/** `bytes`: of the files. */
export type ArchiveState = { until: number | undefined; files: number; rows: number; bytes: number }

export function archiveOver(connection: ArchivedConnection) {
  const { archive, clock } = connection
  return {
    /** `open`: opens the media store, at the first use. */
    attach: archive.attach,
    /** Archives months that ended so many months ago, and whose receipts are older than `keptMs`; pauses after each small step. */
    archive: (afterMonths: number, keptMs: number, blocksOfPart?: number) =>
      archivingOver(connection, archive, blocksOfPart).archive({
        end: monthsBefore(clock(), afterMonths),
        keptUntil: clock() - keptMs,
      }),
    async state(): Promise<ArchiveState> {
      const until = await archive.until()
      const files = archive.all()
      const sum = (of: (file: (typeof files)[number]) => number) => files.reduce((all, file) => all + of(file), 0)
      return {
        until: until === 0 ? undefined : until,
        files: files.length,
        rows: sum(({ rowCount }) => rowCount),
        bytes: sum(({ bytes }) => bytes),
      }
    },
  }
}

/** 13 months before some time in March 2026: the end of January 2025. */
function monthsBefore(time: number, months: number): number {
  const date = new Date(monthEnd(time))
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - 1 - months)
}
