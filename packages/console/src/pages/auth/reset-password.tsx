import { type FormEvent, useState } from 'react'
import { post } from '../../api/client.ts'
import { useSessionChange } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/field.tsx'
import { Banner } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AuthCard, useAbout } from './card.tsx'
import { apiFieldErrors, type FieldErrors, focusFirstError, hasErrors, newPasswordError } from './form.ts'
import { ExpiredLink, isExpired, useLinkToken } from './links.tsx'

export function ResetPasswordPage() {
  const texts = useTexts()
  const t = texts.auth
  const token = useLinkToken()
  const { data: about } = useAbout()
  const toast = useToast()
  const changeSession = useSessionChange()
  const [password, setPassword] = useState('')
  const [errors, setErrors] = useState<FieldErrors>({})
  const [hasExpired, setExpired] = useState(token === '')
  const [isBusy, setBusy] = useState(false)

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const form = event.currentTarget
    const found = newPasswordError(password, about?.password, texts)
    setErrors(found)
    if (hasErrors(found)) return focusFirstError(form)
    setBusy(true)
    const result = await post('password/reset', { token, password })
    setBusy(false)
    if (result.ok) {
      toast(t.reset.done)
      return changeSession('/sign-in')
    }
    if (isExpired(result.error)) return setExpired(true)
    setErrors(apiFieldErrors(result.error, texts, ['password']))
    focusFirstError(form)
  }

  if (hasExpired) return <ExpiredLink kind="reset" />
  return (
    <AuthCard title={t.reset.title}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        {errors.form && <Banner tone="bad">{errors.form}</Banner>}
        <PasswordField
          label={t.newPassword}
          name="password"
          autoComplete="new-password"
          autoFocus
          value={password}
          onChange={setPassword}
          error={errors.password}
          hint={about && t.passwordRule(about.password.min_length)}
        />
        <Button type="submit" variant="primary" wide busy={isBusy}>
          {t.reset.submit}
        </Button>
      </form>
    </AuthCard>
  )
}
