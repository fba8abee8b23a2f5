// How many emails an address may get, and how many others may have sent, on all nodes: whoever can make the gateway write to any address
// could use it to annoy people.
import { addressForm } from '../storage/sql/people/address-form.ts'
import type { Storage } from '../storage/storage.ts'
import { hashToken } from './secrets/tokens.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MOST_TO_ONE_AN_HOUR = 5
const MOST_INVITATIONS_A_DAY = { ofAccount: 20, ofOperators: 1_000 }

type Store = Pick<Storage, 'signIns'>

/** By the address, in all its spellings, whether an account has it or not; hashed, since anyone may type one. */
export const nameOfAddress = (email: string): string => hashToken(addressForm(email)).toString('base64url').slice(0, 22)

/** True: one more may be sent. */
export async function mayReceiveMail(email: string, { signIns }: Store): Promise<boolean> {
  const limit = { subject: `mail ${nameOfAddress(email)}`, most: MOST_TO_ONE_AN_HOUR, windowMs: HOUR_MS }
  return (await signIns.countAttempt([limit])) === undefined
}

/** True: one more may be sent. `account`: of the owner who invites; undefined: an operator. */
export async function mayMailInvitation(account: bigint | undefined, { signIns }: Store): Promise<boolean> {
  const { ofAccount, ofOperators } = MOST_INVITATIONS_A_DAY
  const limit =
    account === undefined
      ? { subject: 'invitations mailed by operators', most: ofOperators }
      : { subject: `invitations mailed by account ${account}`, most: ofAccount }
  return (await signIns.countAttempt([{ ...limit, windowMs: DAY_MS }])) === undefined
}
