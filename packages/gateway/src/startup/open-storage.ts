// Opens the store of a server, which may create it.
import type { CommandContext } from '../cli/context.ts'
import { isServerRunning } from '../cli/control-socket.ts'
import type { Environment } from '../config/types.ts'
import type { Log } from '../observe/log.ts'
import type { Upgrade } from '../storage/migrations/migrations.ts'
import { type Damage, FolderInUse, type Storage } from '../storage/storage.ts'

const WAIT_FOR_FOLDER_MS = 10_000

/** Waits while a command, or a server that is stopping, uses the data folder. Fails at once if another server runs there. */
export async function openStorageWhenFree(
  environment: Environment,
  context: CommandContext,
  log: Log,
): Promise<Storage> {
  const onDamage = ({ file, movedTo, reason, lost }: Damage) =>
    log.error('a damaged file was moved aside; the gateway starts without it', {
      file,
      moved_to: movedTo,
      reason,
      lost,
    })
  const onUpgrade = ({ from, to, tookMs }: Upgrade) =>
    log.info('data upgraded', { from_version: from, to_version: to, took_ms: tookMs })
  const end = performance.now() + WAIT_FOR_FOLDER_MS
  for (;;) {
    try {
      return await context.openStorage(environment, { mayCreate: true, onDamage, onUpgrade })
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() >= end) throw error
      if (await isServerRunning(environment.dataDir)) throw error
      await Bun.sleep(50)
    }
  }
}
