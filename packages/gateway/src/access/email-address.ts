// Email addresses: what may be stored, and what may be looked up. Pure.

/** The limits of RFC 5321: in total, and before the @. */
const LONGEST_EMAIL = 254
const LONGEST_LOCAL = 64

/** Letters and marks of any script, and the characters allowed in unquoted mailboxes. No invisible characters. */
const LOCAL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u
const DOMAIN =
  /^[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?(\.[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?)*$/u

/** Strict, because it is stored permanently. */
export function isStrictAddress(email: string): boolean {
  const at = email.lastIndexOf('@')
  const [local, domain] = [email.slice(0, Math.max(at, 0)), email.slice(at + 1)]
  // RFC 5321 counts bytes.
  if (bytesOf(email) > LONGEST_EMAIL || bytesOf(local) > LONGEST_LOCAL) return false
  return LOCAL.test(local) && DOMAIN.test(domain)
}

export const isAnyAddress = (email: string): boolean =>
  email.length <= 320 && /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(email)

const bytesOf = (text: string): number => new TextEncoder().encode(text).length
