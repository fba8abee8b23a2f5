// Trial credit that was given while only embedded models could be bought with it does not buy the models of vendors: what is unspent
// of it is taken back before a real upstream serves.

import { hasRealUpstream } from '../config/sandbox.ts'
import type { FileConfig } from '../config/types.ts'
import { formatUsd } from '../money/amount.ts'
import { SANDBOX_TRIAL } from '../money/ledger.ts'
import type { Log } from '../observe/log.ts'
import { auditEntry } from '../operate/operation.ts'
import type { Storage } from '../storage/storage.ts'

export type TakenBack = Awaited<ReturnType<Storage['accounts']['takeBackTrials']>>

const LEASE = 'take-back-sandbox-credit'
/** Longer than it takes with many thousand accounts; released afterwards. */
const LEASE_MS = 300_000
const REASON = 'trial credit of the sandbox taken back'

/** undefined: there was nothing to do, or another node does it. */
export async function takeBackSandboxCredit(
  { accounts, leases, auditLog }: Pick<Storage, 'accounts' | 'leases' | 'auditLog'>,
  config: FileConfig,
  log: Log,
): Promise<TakenBack | undefined> {
  if (!hasRealUpstream(config) || config.registration.keepSandboxCredit) return undefined
  const epoch = await leases.acquire(LEASE, crypto.randomUUID(), LEASE_MS, LEASE_MS)
  if (epoch === undefined) return undefined
  try {
    const taken = await accounts.takeBackTrials(SANDBOX_TRIAL, REASON)
    if (taken.accounts === 0) return undefined
    const after = { accounts: taken.accounts, amount_usd: formatUsd(-taken.amount) }
    // One row for all accounts; the transfers of each have the same reason.
    const change = { object: 'accounts', after, reason: REASON }
    await auditLog.add(auditEntry({ actor: { type: 'job', name: LEASE } }, 'account credit', change))
    log.warn(describeTakenBack(taken), { accounts: taken.accounts, amount_usd: formatUsd(taken.amount) })
    return taken
  } finally {
    await leases.release(LEASE, epoch)
  }
}

export const describeTakenBack = ({ accounts, amount }: TakenBack): string =>
  `${formatUsd(amount)} USD of unspent sandbox trial credit taken back from ${accounts} ${accounts === 1 ? 'account' : 'accounts'} (registration.keep_sandbox_credit: true keeps it)`
