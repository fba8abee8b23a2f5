import { useTexts } from '../../i18n/language.tsx'
import { TextField } from '../../ui/form/field.tsx'

type EmailFieldProps = { value: string; onChange(value: string): void; error: string | undefined }

/** The address that an account is known by, where a page begins with it. */
export function EmailField(props: EmailFieldProps) {
  const { auth } = useTexts()
  return <TextField label={auth.email} type="email" name="email" autoComplete="username" autoFocus {...props} />
}
