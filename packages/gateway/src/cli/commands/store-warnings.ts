// Warnings that need both the store and the configuration.

import type { Environment, FileConfig } from '../../config/types.ts'
import { missingGroupWarnings } from '../../config/warnings.ts'
import type { CommandContext } from '../context.ts'
import { callServer } from '../control-socket.ts'

const WITHIN_MS = 5_000

/** Empty if the store is missing or does not respond: other checks report that. */
export async function storeWarnings(
  context: CommandContext,
  environment: Environment,
  config: FileConfig,
): Promise<string[]> {
  const asking = keyGroups(context, environment).catch(() => undefined)
  const groups = await Promise.race([asking, Bun.sleep(WITHIN_MS)])
  const unused = await Promise.race([unusedEntries(environment).catch(() => undefined), Bun.sleep(WITHIN_MS)])
  return [...(groups ? missingGroupWarnings(groups, config) : []), ...(unused ?? [])]
}

/** Of the configuration that a running server has. */
async function unusedEntries({ dataDir }: Environment): Promise<string[]> {
  const answered = await callServer(dataDir, 'config unused', {})
  return (answered?.result as string[] | undefined) ?? []
}

async function keyGroups(context: CommandContext, environment: Environment): Promise<ReadonlyMap<string, number>> {
  if (!environment.databaseUrl) {
    const answered = await callServer(environment.dataDir, 'key groups', {})
    if (answered) return new Map(Object.entries(answered.result as Record<string, number>))
  }
  const storage = await context.openStorage(environment)
  return await storage.keys.countByGroup().finally(() => storage.close())
}
