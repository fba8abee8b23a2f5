import { useTexts } from '../../i18n/language.tsx'
import type { Texts } from '../../i18n/texts.ts'
import type { Field } from '../../ui/form/fields.ts'
import { Skeleton } from '../../ui/states.tsx'
import { newPasswordError, type PasswordRules } from './form.ts'

/** What a new password must have, said before it is typed. */
export function PasswordRule({ rules }: { rules: PasswordRules }) {
  const { auth } = useTexts()
  return rules ? auth.passwordRule(rules.min_length) : <Skeleton size="h-4 w-32" />
}

export function newPasswordField(rules: PasswordRules, texts: Texts): Field<'password'> {
  const wrong = (password: string) => newPasswordError(password, rules, texts).password
  return {
    name: 'password',
    label: texts.auth.newPassword,
    as: 'password',
    autoComplete: 'new-password',
    hint: <PasswordRule rules={rules} />,
    missing: wrong('') ?? '',
    wrong,
  }
}
