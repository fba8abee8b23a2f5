// Warnings about a configuration that need the database, too: at the start, after a reload, and by `doctor`.

import type { FileConfig } from '../../config/types.ts'
import { missingGroupWarnings, ownerWarnings } from '../../config/warnings.ts'
import type { Identities, Keys } from '../../storage/storage.ts'

export type WarningsStore = { keys: Pick<Keys, 'countByGroup'>; identities: Pick<Identities, 'hasOwner'> }

export async function warningsOfStore({ keys, identities }: WarningsStore, config: FileConfig): Promise<string[]> {
  const issuers = config.signIn.providers.map(({ issuer }) => issuer)
  const hasOwner = config.signIn.password || (await identities.hasOwner(issuers))
  return [...missingGroupWarnings(await keys.countByGroup(), config), ...ownerWarnings(config, hasOwner)]
}
