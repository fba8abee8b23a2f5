// No file of the media store is left without a record. For a gateway on SQLite that has stopped.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createDiskBlobs } from '../packages/gateway/src/media/disk.ts'
import { createMediaStore } from '../packages/gateway/src/media/media-store.ts'
import { openSqlite } from '../packages/gateway/src/storage/sqlite/open-sqlite.ts'
import type { Home } from '../test/support/gateway/home.ts'
import type { Findings } from './scenario.ts'

/** Every file has a record, and is gone when the sweep has deleted what expired. Resolves with how many there were. */
export async function sweepAll({ dataDir }: Home, findings: Findings): Promise<number> {
  const folder = join(dataDir, 'media')
  // Without any stored file there is no folder.
  const files = () =>
    existsSync(folder)
      ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
      : []
  const storage = await openSqlite(dataDir)
  try {
    await storage.media.expireUnfinished()
    const store = createMediaStore(storage.media, createDiskBlobs(folder))
    while ((await store.sweep(100)) > 0);
    const kept = files()
    for (const { name } of kept) {
      findings.must((await store.find(name)) !== undefined, `${name} is left without a record`)
      await storage.media.expire(name)
    }
    while ((await store.sweep(100)) > 0);
    findings.must(files().length === 0, () => `${files().length} files are left after the sweep`)
    return kept.length
  } finally {
    await storage.close()
  }
}
