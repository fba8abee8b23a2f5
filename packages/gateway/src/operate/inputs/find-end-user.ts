// End users as operators and account holders look for them: as they are kept, or as requests name them.
import { soughtEndUser } from '../../access/attribution/attribution.ts'
import type { OperationContext } from '../operation.ts'

/** As it is kept. Hashes differ between accounts: without one, it is looked for as it was written. */
export async function findEndUser(
  { config, accountCipher }: Pick<OperationContext, 'config' | 'accountCipher'>,
  account: bigint | undefined,
  written: string | undefined,
): Promise<string | undefined> {
  if (written === undefined || account === undefined) return written
  return soughtEndUser(written, account, config.attribution, { accountCipher: await accountCipher() })
}
