// Checks of the fields that sign-in and settings share.

import type { About } from '../../api/types.ts'
import type { Texts } from '../../i18n/texts.ts'

/** Known once the page about the gateway is read; until then the server checks. */
export type PasswordRules = About['password'] | undefined

export function emailError(email: string, { auth }: Texts): { email?: string } {
  if (email.trim() === '') return { email: auth.emailMissing }
  return /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? {} : { email: auth.emailInvalid }
}

export function newPasswordError(password: string, rules: PasswordRules, { auth }: Texts): { password?: string } {
  const length = [...password].length
  if (length < (rules?.min_length ?? 1)) return { password: auth.passwordShort(rules?.min_length ?? 1) }
  if (rules && length > rules.max_length) return { password: auth.passwordLong(rules.max_length) }
  return {}
}
