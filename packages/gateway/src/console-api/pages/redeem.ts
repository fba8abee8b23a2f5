// Turns a redemption code into credit. Codes are guessed at most a few times an hour.

import { hashCode } from '../../access/secrets/redemption-code.ts'
import { formatUsd } from '../../money/amount.ts'
import type { Account, Codes, RedeemRejection, SignIns } from '../../storage/storage.ts'
import { ConsoleRejection } from '../rejection.ts'
import type { ConsoleError } from '../responses.ts'
import type { RedeemCode, Redeemed } from '../routes/wallet.ts'

export type RedeemDependencies = { store: { codes: Codes; signIns: Pick<SignIns, 'countAttempt'> } }

const HOUR_MS = 3_600_000
const MOST_TRIES = 20

export async function redeemCode(account: Account, { code }: RedeemCode, deps: RedeemDependencies): Promise<Redeemed> {
  const { codes, signIns } = deps.store
  const limit = { subject: `redeem by account ${account.id}`, most: MOST_TRIES, windowMs: HOUR_MS }
  const wait = await signIns.countAttempt([limit])
  if (wait !== undefined)
    throw new ConsoleRejection({
      code: 'too_many_tries',
      message: 'Too many codes were tried. Retry later.',
      retryAfter: Math.ceil(wait / 1_000),
    })
  const hash = hashCode(code)
  const redeemed = hash === undefined ? 'unknown' : await codes.redeem(account.id, hash)
  if (typeof redeemed === 'string') throw new ConsoleRejection(REJECTIONS[redeemed])
  return { amount_usd: formatUsd(redeemed.amount), balance_usd: formatUsd(redeemed.balance) }
}

const REJECTIONS: Readonly<Record<RedeemRejection, ConsoleError>> = {
  unknown: { code: 'unknown_code', param: 'code', message: 'There is no such code. Check it letter by letter.' },
  used: { code: 'code_used', param: 'code', message: 'This code was redeemed before. A code works once.' },
  expired: { code: 'code_expired', param: 'code', message: 'This code has expired. Ask its issuer for another one.' },
  too_much: {
    code: 'balance_too_large',
    param: 'code',
    message: 'Your balance would exceed the largest possible one.',
  },
}
