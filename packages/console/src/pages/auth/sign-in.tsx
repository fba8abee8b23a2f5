import { type FormEvent, useState } from 'react'
import { Link, Redirect } from 'wouter'
import { post } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useNextPath, useSessionChange } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { PasswordField, TextField } from '../../ui/field.tsx'
import { Banner } from '../../ui/states.tsx'
import { AuthCard, useAbout } from './card.tsx'
import { EmailField } from './email-field.tsx'
import { apiFieldErrors, emailError, type FieldErrors, focusFirstError, hasErrors } from './form.ts'

export function SignInPage() {
  const texts = useTexts()
  const t = texts.auth
  const { data: about } = useAbout()
  const { data: session } = useRead('session')
  const next = useNextPath()
  const changeSession = useSessionChange()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [isBusy, setBusy] = useState(false)

  if (session) return <Redirect to={next} replace />

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isBusy) return
    const form = event.currentTarget
    const found = needsCode ? codeErrors() : passwordErrors()
    setErrors(found)
    if (hasErrors(found)) return focusFirstError(form)
    setBusy(true)
    const result = await post('sign-in', { email: email.trim(), password, ...(needsCode ? { code: code.trim() } : {}) })
    setBusy(false)
    if (!result.ok) {
      setErrors(rejected(result.error))
      return focusFirstError(form)
    }
    if (result.value.signed_in) changeSession(next)
    else setNeedsCode(true)
  }

  const passwordErrors = (): FieldErrors => ({
    ...emailError(email, texts),
    ...(password === '' ? { password: t.passwordMissing } : {}),
  })
  const codeErrors = (): FieldErrors => (code.trim() === '' ? { code: t.secondFactor.missing } : {})
  const rejected = (error: Parameters<typeof apiFieldErrors>[0]): FieldErrors => {
    if (error.status === 401) return needsCode ? { code: t.secondFactor.wrong } : { form: t.signIn.wrong }
    return apiFieldErrors(error, texts, needsCode ? ['code'] : ['email', 'password'])
  }

  if (needsCode) {
    const startOver = () => {
      setNeedsCode(false)
      setPassword('')
      setCode('')
      setErrors({})
    }
    return (
      <AuthCard title={t.secondFactor.title} text={t.secondFactor.text}>
        <form noValidate onSubmit={submit} className="flex flex-col gap-4">
          {errors.form && <Banner tone="bad">{errors.form}</Banner>}
          <TextField
            label={t.secondFactor.code}
            name="code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            autoFocus
            value={code}
            onChange={setCode}
            error={errors.code}
          />
          <Button type="submit" variant="primary" wide busy={isBusy}>
            {t.secondFactor.submit}
          </Button>
          <Button variant="quiet" wide onClick={startOver}>
            {t.secondFactor.back}
          </Button>
        </form>
      </AuthCard>
    )
  }
  const signUp = about?.registration.open && (
    <>
      {t.signIn.noAccount}{' '}
      <Link href="/sign-up" className="font-medium text-link hover:underline">
        {t.signIn.signUp}
      </Link>
    </>
  )
  return (
    <AuthCard title={t.signIn.title(about?.name ?? '')} below={signUp}>
      <form noValidate onSubmit={submit} className="flex flex-col gap-4">
        {errors.form && <Banner tone="bad">{errors.form}</Banner>}
        <EmailField value={email} onChange={setEmail} error={errors.email} />
        <PasswordField
          label={t.password}
          name="password"
          autoComplete="current-password"
          value={password}
          onChange={setPassword}
          error={errors.password}
          aside={
            about?.mail && (
              <Link href="/forgot-password" className="text-sm text-link hover:underline">
                {t.signIn.forgot}
              </Link>
            )
          }
        />
        <Button type="submit" variant="primary" wide busy={isBusy}>
          {t.signIn.submit}
        </Button>
      </form>
    </AuthCard>
  )
}
