import { Link } from 'wouter'
import { useAbout } from '../../api/queries.ts'
import { useSessionChange } from '../../app/session.tsx'
import { useLanguage } from '../../i18n/language.tsx'
import { Button, ButtonAnchor } from '../../ui/button.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { formatUsd, isZero } from '../../ui/values.tsx'
import { AuthCard } from './card.tsx'
import { useEmailField } from './email-field.ts'
import { newPasswordField } from './password-rule.tsx'

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
  return (
    <PostForm
      path="register"
      body={invitation ? { invitation } : {}}
      fields={[useEmailField(), { ...newPasswordField(about?.password, texts), label: t.password }]}
      action={t.signUp.submit}
      button={(submit) => <Button {...submit} variant="primary" wide />}
      onDone={({ trial_credit_usd: credit, notice }) => {
        if (notice === null) toast(t.signUp.done(formatUsd(credit, locale)))
        else toast(t.signUp.doneWithoutCredit, 'plain')
        changeSession(invitation ? '/invitation' : '/')
      }}
    />
  )
}
