// Whose reads a request counts to, before its session is looked up. It is no proof of anything: the session is looked up in the
// read's slot. A browser whose account is unknown, or that is not signed in, shares the slots of its network.
import { hashToken } from '../../access/secrets/tokens.ts'
import type { Call } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { readSessionCookie } from './cookie.ts'

export type Readers = {
  of(call: Pick<Call, 'http' | 'origin'>): bigint
  /** The session of the request belongs to this account. */
  note(call: Pick<Call, 'http'>, account: bigint): void
}

/** Sessions that are remembered; of more, those noted first are forgotten. */
const MOST_SESSIONS = 10_000

export function createReaders(config: ConsoleDependencies['config']): Readers {
  const accounts = new Map<string, bigint>()
  const nameOf = ({ http }: Pick<Call, 'http'>): string | undefined => {
    const token = readSessionCookie(http.headers, config().server)
    return token === undefined ? undefined : Buffer.from(hashToken(token)).toString('base64')
  }
  return {
    of(call) {
      const name = nameOf(call)
      return (name === undefined ? undefined : accounts.get(name)) ?? tenantOf(call.origin.network)
    },
    note(call, account) {
      const name = nameOf(call)
      if (name === undefined) return
      if (accounts.size >= MOST_SESSIONS && !accounts.has(name)) accounts.delete(accounts.keys().next().value ?? '')
      accounts.set(name, account)
    },
  }
}

/** Negative, unlike the ids of accounts. */
const tenantOf = (network: string): bigint => -2n - BigInt(Bun.hash.crc32(network))
