import { useState } from 'react'
import { Link, Redirect } from 'wouter'
import { post } from '../../api/client.ts'
import { useAbout, useRead } from '../../api/queries.ts'
import { hasSessionEnded, useNextPath, useSessionChange } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { PasswordField, TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Banner } from '../../ui/states.tsx'
import { AuthCard } from './card.tsx'
import { EmailField, useEmail } from './email-field.tsx'
import { emailError } from './form.ts'
import { ProviderButtons, useRefusal } from './providers.tsx'

export function SignInPage() {
  const texts = useTexts()
  const t = texts.auth
  const { data: about } = useAbout()
  const { data: session, error: sessionError } = useRead('session')
  const next = useNextPath()
  const changeSession = useSessionChange()
  const [email, setEmail] = useEmail()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [needsCode, setNeedsCode] = useState(false)
  const [isRecovery, setRecovery] = useState(false)
  const [hasEnded] = useState(hasSessionEnded)
  const [wantsPassword, setWantsPassword] = useState(false)
  const refused = useRefusal()

  const { errors, isBusy, submit, clearErrors } = useForm({
    fields: ['email', 'password', 'code'],
    check: () => (needsCode ? missingCode() : { ...emailError(email, texts), ...missingPassword() }),
    send: () => post('sign-in', { email: email.trim(), password, ...(needsCode ? { code: code.trim() } : {}) }),
    done: ({ signed_in: isSignedIn }) => (isSignedIn ? changeSession(next) : setNeedsCode(true)),
    rejected({ status }) {
      if (status !== 401) return undefined
      return needsCode ? { code: t.secondFactor.wrong } : { form: t.signIn.wrong }
    },
  })
  const missingPassword = () => (password === '' ? { password: t.passwordMissing } : {})
  const missingCode = () => (code.trim() === '' ? { code: t.secondFactor.missing } : {})

  // A session that has ended is still known, together with the error.
  if (session && !sessionError) return <Redirect to={next} replace />

  if (needsCode) {
    const startOver = () => {
      setNeedsCode(false)
      setPassword('')
      setCode('')
      clearErrors()
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
            inputMode={isRecovery ? 'text' : 'numeric'}
            autoFocus
            value={code}
            onChange={setCode}
            error={errors.code}
          />
          <Button type="submit" variant="primary" wide busy={isBusy}>
            {t.secondFactor.submit}
          </Button>
          <Button variant="quiet" wide onClick={() => setRecovery(!isRecovery)}>
            {isRecovery ? t.secondFactor.useApp : t.secondFactor.useRecovery}
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
  const providers = about?.sign_in.providers ?? []
  // Where people sign in at providers alone, the form is for owners of the gateway.
  const hasForm = wantsPassword || about?.sign_in.password !== false
  return (
    <AuthCard title={t.signIn.title(about?.name ?? '')} below={signUp}>
      <div className="flex flex-col gap-4 not-empty:not-last:mb-4">
        {refused && <Banner tone="bad">{refused}</Banner>}
        {hasEnded && !refused && !errors.form && <Banner tone="warn">{t.again.ended}</Banner>}
        <ProviderButtons providers={providers} next={next} />
        {providers.length > 0 && hasForm && <p className="text-center text-sm text-muted">{t.signIn.or}</p>}
        {about && !hasForm && (
          <Button variant="quiet" wide onClick={() => setWantsPassword(true)}>
            {t.signIn.usePassword}
          </Button>
        )}
      </div>
      {hasForm && (
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
          {about && !about.mail && <p className="text-center text-sm text-muted">{t.signIn.noForgot}</p>}
        </form>
      )}
    </AuthCard>
  )
}
