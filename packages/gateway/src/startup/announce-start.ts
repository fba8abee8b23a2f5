// What a server does and prints once it listens: on the first start an account with a key, and on each a summary.

import { createLink } from '../access/secrets/tokens.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Environment } from '../config/types.ts'
import type { Log } from '../observe/log.ts'
import { VERSION } from '../observe/version.ts'
import { warningsOfStore } from '../operate/doctor/store-warnings.ts'
import { memoryLimit } from '../process/memory-limit.ts'
import type { Storage } from '../storage/storage.ts'
import { firstStart } from './first-start.ts'
import { type StartInfo, startSummary } from './start-summary.ts'

export type Started = Pick<StartInfo, 'address' | 'database' | 'takenBack'>

export async function announceStart(
  started: Started,
  environment: Environment,
  catalogue: Catalogue,
  storage: Storage,
  log: Log,
): Promise<void> {
  const link = async (account: bigint) => (await createLink('setup', account, storage.signIns, Date.now())).token
  const first = await firstStart(storage, catalogue.config, link)
  const keyGroups = await storage.keys.countByGroup()
  for (const warning of await warningsOfStore(storage, catalogue.config)) log.warn(warning)
  const info = { ...started, version: VERSION, environment, catalogue, first, keyGroups, memory: memoryLimit() }
  const { logFormat } = environment
  process.stdout.write(startSummary(info, logFormat === undefined ? process.stdout.isTTY : logFormat === 'text'))
}
