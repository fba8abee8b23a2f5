// A sign-in that has begun, in a cookie of the browser: sealed, bound to the provider, and good for ten minutes. The cookie is sent with the callback, which
// comes from the provider's page.

import { appendCookie, readCookie } from '../../http-api/session/cookie.ts'
import type { Call } from '../call.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { Secrets } from './providers.ts'

const NAME = 'trivium_sign_in'
export const PENDING_LIFE_MS = 10 * 60_000
const LONGEST_COOKIE = 4_000

/** `next`: the page of the console to show then. */
export type Pending = Secrets & { next: string; end: number }

/** It belongs to no account. */
const NOBODY = 0n
const PURPOSE = 'sign-ins'

export function keepPending(
  { headers }: Pick<Call, 'headers'>,
  provider: string,
  pending: Omit<Pending, 'end'>,
  { accountCipher, config, clock }: ConsoleDependencies,
): void {
  const plain = Buffer.from(JSON.stringify({ ...pending, end: clock() + PENDING_LIFE_MS }))
  const value = Buffer.from(accountCipher.encrypt(NOBODY, PURPOSE, plain, Buffer.from(provider))).toString('base64url')
  appendCookie(headers, config().server, { name: NAME, value, maxAgeMs: PENDING_LIFE_MS, sameSite: 'Lax' })
}

/** Takes the cookie out of the browser. undefined: there is none of this provider, or it is too old. */
export function takePending(
  { http, headers }: Pick<Call, 'http' | 'headers'>,
  provider: string,
  { accountCipher, config, clock }: ConsoleDependencies,
): Pending | undefined {
  const { server } = config()
  const value = readCookie(http.headers, server, NAME)
  if (value === undefined || value.length > LONGEST_COOKIE) return undefined
  appendCookie(headers, server, { name: NAME, value: '', maxAgeMs: 0, sameSite: 'Lax' })
  const sealed = Buffer.from(value, 'base64url')
  const plain = accountCipher.decrypt(NOBODY, PURPOSE, sealed, Buffer.from(provider))
  const pending = plain && (JSON.parse(Buffer.from(plain).toString()) as Pending)
  return pending && pending.end > clock() ? pending : undefined
}
