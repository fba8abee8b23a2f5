import { useTexts } from '../../i18n/language.tsx'
import type { Field } from '../../ui/form/fields.ts'

/** As typed on another of these pages, before this one. */
let typed = ''

/** The address that an account is known by, where a page begins with it. */
export function useEmailField(): Field<'email'> {
  const { auth } = useTexts()
  return {
    name: 'email',
    label: auth.email,
    type: 'email',
    autoComplete: 'username',
    autoFocus: true,
    usual: typed,
    missing: auth.emailMissing,
    wrong: (email) => !/^[^\s@]+@[^\s@]+$/.test(email) && auth.emailInvalid,
    sets(email) {
      typed = email
      return undefined
    },
  }
}
