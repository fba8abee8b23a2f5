// Validates the credentials of a registration strictly, because they are stored permanently. Pure.
import { isLongEnough, SHORTEST_PASSWORD } from '../../storage/password.ts'
import type { Check } from '../fields.ts'
import { badRequest } from '../rejection.ts'

export type Credentials = { email: string; password: string }
export type Unreadable = { param?: 'email' | 'password'; message: string }

/** The limits of RFC 5321: in total, and before the @. */
const LONGEST_EMAIL = 254
const LONGEST_LOCAL = 64
export const LONGEST_PASSWORD = 1_024

/** Letters and marks of any script, and the characters allowed in unquoted mailboxes. No invisible characters. */
const LOCAL = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u
const DOMAIN =
  /^[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?(\.[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?)*$/u

export function readCredentials(body: Uint8Array): Credentials | Unreadable {
  const read = parsed(body)
  if (typeof read !== 'object' || read === null) {
    return { message: 'The body must be a JSON object with an email and a password.' }
  }
  const { email, password } = read as Record<string, unknown>
  if (typeof email !== 'string' || !isAddress(email.trim())) {
    return { param: 'email', message: 'email must be an email address such as ada@example.com.' }
  }
  const fault = passwordFault(password)
  if (fault !== undefined) return { param: 'password', message: `password ${fault}` }
  return { email: email.trim(), password: password as string }
}

/** The rules for a password that is to be stored. */
export const newPassword: Check<string> = (value, name) => {
  const fault = passwordFault(value)
  if (fault !== undefined) throw badRequest(name, `${name} ${fault}`)
  return value as string
}

function passwordFault(password: unknown): string | undefined {
  if (typeof password !== 'string' || !isLongEnough(password)) {
    return `must have at least ${SHORTEST_PASSWORD} characters.`
  }
  const isText = password.length <= LONGEST_PASSWORD && password.isWellFormed()
  return isText ? undefined : `must be text of at most ${LONGEST_PASSWORD} characters.`
}

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

function isAddress(email: string): boolean {
  const at = email.lastIndexOf('@')
  const [local, domain] = [email.slice(0, Math.max(at, 0)), email.slice(at + 1)]
  // RFC 5321 counts bytes.
  if (Buffer.byteLength(email) > LONGEST_EMAIL || Buffer.byteLength(local) > LONGEST_LOCAL) return false
  return LOCAL.test(local) && DOMAIN.test(domain)
}
