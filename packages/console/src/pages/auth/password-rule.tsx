import type { About } from '../../api/types.ts'
import type { Texts } from '../../i18n/texts.ts'
import type { Field } from '../../ui/form/fields.ts'
import { Skeleton } from '../../ui/states.tsx'

/** `rules`: known once the page about the gateway is read; until then the server checks. They are said before anything is typed. */
export function newPasswordField(rules: About['password'] | undefined, { auth }: Texts): Field<'password'> {
  const short = auth.passwordShort(rules?.min_length ?? 1)
  return {
    name: 'password',
    label: auth.newPassword,
    as: 'password',
    autoComplete: 'new-password',
    hint: rules ? auth.passwordRule(rules.min_length) : <Skeleton size="h-4 w-32" />,
    missing: short,
    wrong(password) {
      const { length } = [...password]
      if (length < (rules?.min_length ?? 1)) return short
      return rules !== undefined && length > rules.max_length && auth.passwordLong(rules.max_length)
    },
  }
}
