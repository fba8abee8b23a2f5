import { useState } from 'react'
import { Link } from 'wouter'
import { post } from '../../api/client.ts'
import { useAbout } from '../../api/queries.ts'
import { useSessionChange } from '../../app/session.tsx'
import { useLanguage } from '../../i18n/language.tsx'
import { Button, ButtonAnchor } from '../../ui/button.tsx'
import { PasswordField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { formatUsd, isZero } from '../../ui/values.tsx'
import { AuthCard } from './card.tsx'
import { EmailField, useEmail } from './email-field.tsx'
import { emailError, newPasswordError } from './form.ts'
import { PasswordRule } from './password-rule.tsx'

export function SignUpPage() {
  const { texts, locale } = useLanguage()
  const t = texts.auth
  const { data: about, error, refetch } = useAbout()
  const signIn = (
    <>
      {t.signUp.haveAccount}{' '}
      <Link href="/sign-in" className="font-medium text-link hover:underline">
        {t.signUp.signIn}
      </Link>
    </>
  )
  if (about && !about.registration.open) {
    return (
      <AuthCard title={t.signUp.closed} text={t.signUp.closedText} below={signIn}>
        {about.support_url && (
          <ButtonAnchor href={about.support_url} rel="noreferrer" icon="external">
            {t.signUp.contact}
          </ButtonAnchor>
        )}
      </AuthCard>
    )
  }
  const credit = about?.registration.trial_credit_usd
  const offer = credit === undefined || isZero(credit) ? t.signUp.noOffer : t.signUp.offer(formatUsd(credit, locale))
  return (
    <AuthCard title={t.signUp.title} text={about ? offer : <Skeleton size="h-4 w-64" />} below={signIn}>
      {error && !about ? <ErrorState error={error} retry={refetch} /> : <SignUpForm />}
    </AuthCard>
  )
}

/** `invitation`: the token of its link, to which the new person comes back. */
export function SignUpForm({ invitation }: { invitation?: string }) {
  const { texts, locale } = useLanguage()
  const t = texts.auth
  const { data: about } = useAbout()
  const changeSession = useSessionChange()
  const toast = useToast()
  const [email, setEmail] = useEmail()
  const [password, setPassword] = useState('')

  const { errors, isBusy, submit } = useForm({
    fields: ['email', 'password'],
    check: () => ({ ...emailError(email, texts), ...newPasswordError(password, about?.password, texts) }),
    send: () => post('register', { email: email.trim(), password, ...(invitation ? { invitation } : {}) }),
    done({ trial_credit_usd: credit, notice }) {
      if (notice === null) toast(t.signUp.done(formatUsd(credit, locale)))
      else toast(t.signUp.doneWithoutCredit, 'plain')
      changeSession(invitation ? '/invitation' : '/')
    },
  })

  return (
    <form noValidate onSubmit={submit} className="flex flex-col gap-4">
      {errors.form && <Banner tone="bad">{errors.form}</Banner>}
      <EmailField value={email} onChange={setEmail} error={errors.email} />
      <PasswordField
        label={t.password}
        name="password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        error={errors.password}
        hint={<PasswordRule rules={about?.password} />}
      />
      <Button type="submit" variant="primary" wide busy={isBusy}>
        {t.signUp.submit}
      </Button>
    </form>
  )
}
