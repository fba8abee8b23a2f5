// For tests: records in memory.
import type { MediaRecord } from '../../src/storage/media.ts'
import type { Media } from '../../src/storage/storage.ts'

type Row = Omit<MediaRecord, 'size'> & { size: number | undefined }

/** Records as the store has them, by a clock of the test. */
export function memoryRecords(clock: () => number) {
  const rows = new Map<string, Row>()
  const live = (id: string) => {
    const row = rows.get(id)
    return row && row.expiresAt > clock() ? row : undefined
  }
  const media: Media = {
    async begin(object) {
      rows.set(object.id, { ...object, size: undefined, createdAt: clock(), expiresAt: clock() + 3_600_000 })
    },
    async complete(id, size, keepMs) {
      const row = live(id)
      if (!row || row.size !== undefined) return undefined
      Object.assign(row, { size, expiresAt: clock() + keepMs })
      return { ...row, size }
    },
    makeRoom: async () => [],
    async find(id) {
      const row = live(id)
      return row?.size === undefined ? undefined : { ...row, size: row.size }
    },
    async expire(id) {
      const row = live(id)
      if (row) row.expiresAt = clock()
    },
    expired: async (limit) =>
      [...rows.values()]
        .filter(({ expiresAt }) => expiresAt <= clock())
        .map(({ id }) => id)
        .slice(0, limit),
    async forget(id) {
      if (!live(id)) rows.delete(id)
    },
    async expireUnfinished() {
      for (const row of rows.values()) if (row.size === undefined) row.expiresAt = Math.min(row.expiresAt, clock())
    },
  }
  return { media, rows }
}
