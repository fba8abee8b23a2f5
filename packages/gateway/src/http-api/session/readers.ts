// Whose reads a request counts to, before its credential is looked up. It is no proof of anything: the credential is looked up in the
// read's slot. A client whose credential is unknown, or that has none, shares the slots of its network.
import { hashToken } from '../../access/secrets/tokens.ts'

/** `credential`: the token of a session, or an admin key. */
export type Readers = {
  of(credential: string | undefined, network: string): bigint
  /** The credential is valid, and its reads belong to this account. */
  note(credential: string | undefined, account: bigint): void
  isKnown(credential: string): boolean
}

/** Credentials that are remembered; of more, those noted first are forgotten. */
const MOST_CREDENTIALS = 10_000

export function createReaders(): Readers {
  const accounts = new Map<string, bigint>()
  const nameOf = (credential: string): string => Buffer.from(hashToken(credential)).toString('base64')
  return {
    of(credential, network) {
      return (credential === undefined ? undefined : accounts.get(nameOf(credential))) ?? tenantOf(network)
    },
    note(credential, account) {
      if (credential === undefined) return
      const name = nameOf(credential)
      if (accounts.size >= MOST_CREDENTIALS && !accounts.has(name)) accounts.delete(accounts.keys().next().value ?? '')
      accounts.set(name, account)
    },
    isKnown: (credential) => accounts.has(nameOf(credential)),
  }
}

/** Negative, unlike the ids of accounts. */
const tenantOf = (network: string): bigint => -2n - BigInt(Bun.hash.crc32(network))
