// Hashes of passwords and keys from passphrases that take microseconds, for everything but tests of the hashes themselves: nearly every
// test of the console signs in.
import { PASSPHRASE_COST } from '../../../../packages/gateway/src/backup/seal-secret.ts'
import { PASSWORD_COST } from '../../../../packages/gateway/src/storage/password.ts'

export function hashCheaply(): void {
  Object.assign(PASSWORD_COST, { memoryCost: 64, timeCost: 1 })
  Object.assign(PASSPHRASE_COST, { N: 2 })
}
