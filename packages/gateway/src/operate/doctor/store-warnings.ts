// Warnings about a configuration that need the database, too: at the start, after a reload, and by `doctor`.

import type { FileConfig } from '../../config/types.ts'
import { missingGroupWarnings, ownerWarnings } from '../../config/warnings.ts'
import { isId } from '../../request/schema/schema.ts'
import type { Accounts, Identities, Keys } from '../../storage/storage.ts'

export type WarningsStore = {
  accounts: Pick<Accounts, 'find' | 'findNamed'>
  keys: Pick<Keys, 'countByGroup'>
  identities: Pick<Identities, 'hasOwner'>
}

export async function warningsOfStore(store: WarningsStore, config: FileConfig): Promise<string[]> {
  const { keys, identities } = store
  const issuers = config.signIn.providers.map(({ issuer }) => issuer)
  const hasOwner = config.signIn.password || (await identities.hasOwner(issuers))
  return [
    ...missingGroupWarnings(await keys.countByGroup(), config),
    ...ownerWarnings(config, hasOwner),
    ...(await missingAccounts(store, config)),
  ]
}

/** Tokens that are mapped to them are rejected. */
async function missingAccounts({ accounts }: WarningsStore, { signIn }: FileConfig): Promise<string[]> {
  const named = signIn.apiTokens.flatMap(({ account, accounts: mapped }) => [account ?? [], ...mapped.values()].flat())
  const checked = [...new Set(named)].map(async (name) => {
    const found = isId(name)
      ? [await accounts.find(BigInt(name))].flatMap((each) => each ?? [])
      : await accounts.findNamed(name)
    if (found.length === 1) return []
    return [
      `sign_in.api_tokens names the account '${name}', ${found.length === 0 ? 'which does not exist' : `a name that ${found.length} accounts have: use the id`}`,
    ]
  })
  return (await Promise.all(checked)).flat()
}
