import { useTexts } from '../../i18n/language.tsx'
import { Skeleton } from '../../ui/states.tsx'
import type { PasswordRules } from './form.ts'

/** What a new password must have, said before it is typed. */
export function PasswordRule({ rules }: { rules: PasswordRules }) {
  const { auth } = useTexts()
  return rules ? auth.passwordRule(rules.min_length) : <Skeleton size="h-4 w-32" />
}
