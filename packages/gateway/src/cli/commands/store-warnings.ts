// Warnings that need both the store and the configuration.

import type { Environment, FileConfig } from '../../config/types.ts'
import { missingGroupWarnings } from '../../config/warnings.ts'
import type { Shown } from '../../operate/configuration/show.ts'
import type { CommandContext } from '../context.ts'
import { callServer } from '../control-socket.ts'

const WITHIN_MS = 5_000

/** Empty if the store is missing or does not respond: other checks report that. */
export async function storeWarnings(
  context: CommandContext,
  environment: Environment,
  config: FileConfig,
): Promise<string[]> {
  const unused = await Promise.race([unusedEntries(environment).catch(() => undefined), Bun.sleep(WITHIN_MS)])
  return [...(await keyGroupWarnings(context, environment, config)), ...(unused ?? [])]
}

/** Keys in groups that do not exist. */
export async function keyGroupWarnings(
  context: CommandContext,
  environment: Environment,
  config: FileConfig,
): Promise<string[]> {
  const asking = keyGroups(context, environment).catch(() => undefined)
  const groups = await Promise.race([asking, Bun.sleep(WITHIN_MS)])
  return groups ? missingGroupWarnings(groups, config) : []
}

/** Entries that the configuration of a running server does not use. */
async function unusedEntries({ dataDir }: Environment): Promise<string[]> {
  const answered = await callServer(dataDir, 'config unused', {})
  return (answered?.result as string[] | undefined) ?? []
}

/** By how many keys; without stored groups, which the file does not have. */
async function keyGroups(context: CommandContext, environment: Environment): Promise<ReadonlyMap<string, number>> {
  const { dataDir, databaseUrl } = environment
  if (!databaseUrl) {
    const [counted, listed] = [
      await callServer(dataDir, 'key groups', {}),
      await callServer(dataDir, 'group list', ALL),
    ]
    if (counted && listed) {
      const { items } = listed.result as { items: readonly Pick<Shown, 'id' | 'source'>[] }
      const stored = items.filter(({ source }) => source.from === 'stored').map(({ id }) => id)
      return without(stored, Object.entries(counted.result as Record<string, number>))
    }
  }
  const storage = await context.openStorage(environment)
  try {
    const { entries } = await storage.configuration.read()
    const stored = entries.flatMap(({ kind, id }) => (kind === 'group' ? id : []))
    return without(stored, [...(await storage.keys.countByGroup())])
  } finally {
    await storage.close()
  }
}

const ALL = { limit: 1_000 }
const without = (ids: readonly string[], groups: readonly [string, number][]) =>
  new Map(groups.filter(([id]) => !ids.includes(id)))
