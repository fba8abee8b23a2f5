// Checks of the fields before sign-in, and errors of the API beside the field they belong to.

import type { About } from '@trivium/gateway/console-api/types.ts'
import type { ApiError } from '../../api/client.ts'
import type { Texts } from '../../i18n/texts.ts'
import { errorMessage } from '../../ui/states.tsx'

export type FieldErrors = { email?: string; password?: string; current?: string; code?: string; form?: string }

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

export const hasErrors = (errors: FieldErrors): boolean => Object.keys(errors).length > 0

/** The error at its field if the page has that field, else above the form. */
export function apiFieldErrors(error: ApiError, texts: Texts, fields: readonly (keyof FieldErrors)[]): FieldErrors {
  const field = fields.find((each) => each === error.param) ?? 'form'
  return { [field]: errorMessage(error, texts) }
}

/** Where the person continues after a form was rejected. */
export function focusFirstError(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
}
