// For tests: an S3 server that checks signatures, and records in memory.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Config } from '../config/types.ts'
import type { Media, MediaRecord } from '../storage/media.ts'

type S3rver = { run(): Promise<{ port: number }>; close(): Promise<void> }

/** The server has one bucket and one key. It has no type declarations, hence the name in a variable. */
export async function startS3(): Promise<{ config: S3Config; folder: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-s3-'))
  const name = '@20minutes/s3rver'
  const { default: Server } = (await import(name)) as { default: new (options: object) => S3rver }
  const buckets = [{ name: 'pictures', configs: [] }]
  const server = new Server({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: buckets,
  })
  const { port } = await server.run()
  const keys = { accessKey: 'S3RVER', secretKey: 'S3RVER' }
  return {
    config: { endpoint: `http://127.0.0.1:${port}`, bucket: 'pictures', region: 'us-east-1', ...keys },
    folder,
    async stop() {
      await server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

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
