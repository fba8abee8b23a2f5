import { useState } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { TextField } from '../../ui/form/field.tsx'

type EmailFieldProps = { value: string; onChange(value: string): void; error: string | undefined }

/** The address that an account is known by, where a page begins with it. */
export function EmailField(props: EmailFieldProps) {
  const { auth } = useTexts()
  return <TextField label={auth.email} type="email" name="email" autoComplete="username" autoFocus {...props} />
}

/** As typed on another of these pages, before this one. */
let typed = ''

export function useEmail(): [email: string, setEmail: (email: string) => void] {
  const [email, setEmail] = useState(typed)
  return [
    email,
    (next) => {
      typed = next
      setEmail(next)
    },
  ]
}
