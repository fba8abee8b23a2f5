import { useState } from 'react'
import { Link, Redirect, useSearch } from 'wouter'
import { useAbout, useRead } from '../../api/queries.ts'
import { CONSOLE_PATH } from '../../app/base-path.ts'
import { hasSessionEnded, useNextPath, useSessionChange } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button, ButtonAnchor } from '../../ui/button.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'
import { textIn } from '../../ui/form/typed-values.ts'
import { Banner } from '../../ui/states.tsx'
import { AuthCard } from './card.tsx'
import { useEmailField } from './email-field.ts'

export function SignInPage() {
  const t = useTexts().auth
  const { data: about } = useAbout()
  const { data: session, error: sessionError } = useRead('session')
  const next = useNextPath()
  const changeSession = useSessionChange()
  const email = useEmailField()
  // What a code of the second factor is sent with.
  const [given, setGiven] = useState<{ email: string; password: string }>()
  const [isRecovery, setRecovery] = useState(false)
  const [isRejected, setRejected] = useState(false)
  const [hasEnded] = useState(hasSessionEnded)
  const [wantsPassword, setWantsPassword] = useState(false)
  const refused = useRefusal()

  // A session that has ended is still known, together with the error.
  if (session && !sessionError) return <Redirect to={next} replace />

  const wide = (submit: object) => <Button {...submit} variant="primary" wide />
  if (given)
    return (
      <AuthCard title={t.secondFactor.title} text={t.secondFactor.text}>
        <PostForm
          key="code"
          path="sign-in"
          body={given}
          fields={[
            {
              name: 'code',
              label: t.secondFactor.code,
              as: isRecovery ? undefined : 'number',
              write: (code) => code,
              autoComplete: 'one-time-code',
              autoCapitalize: 'none',
              autoFocus: true,
              missing: t.secondFactor.missing,
            },
          ]}
          action={t.secondFactor.submit}
          button={wide}
          rejected={({ status }) => (status === 401 ? { code: t.secondFactor.wrong } : undefined)}
          onDone={() => changeSession(next)}
        >
          <Button variant="quiet" wide onClick={() => setRecovery(!isRecovery)}>
            {isRecovery ? t.secondFactor.useApp : t.secondFactor.useRecovery}
          </Button>
          <Button variant="quiet" wide onClick={() => setGiven(undefined)}>
            {t.secondFactor.back}
          </Button>
        </PostForm>
      </AuthCard>
    )
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
        {hasEnded && !refused && !isRejected && <Banner tone="warn">{t.again.ended}</Banner>}
        <ProviderButtons providers={providers} next={next} />
        {providers.length > 0 && hasForm && <p className="text-center text-sm text-muted">{t.signIn.or}</p>}
        {about && !hasForm && (
          <Button variant="quiet" wide onClick={() => setWantsPassword(true)}>
            {t.signIn.usePassword}
          </Button>
        )}
      </div>
      {hasForm && (
        <PostForm
          key="password"
          path="sign-in"
          fields={[
            email,
            {
              name: 'password',
              label: t.password,
              as: 'password',
              autoComplete: 'current-password',
              missing: t.passwordMissing,
              aside: about?.mail && (
                <Link href="/forgot-password" className="text-sm text-link hover:underline">
                  {t.signIn.forgot}
                </Link>
              ),
            },
          ]}
          action={t.signIn.submit}
          button={wide}
          rejected={({ status }) => {
            setRejected(true)
            return status === 401 ? { form: t.signIn.wrong } : undefined
          }}
          onDone={({ signed_in: isSignedIn }, values) => {
            if (isSignedIn) changeSession(next)
            else setGiven({ email: textIn(values, 'email').trim(), password: textIn(values, 'password') })
          }}
        >
          {about && !about.mail && <p className="text-center text-sm text-muted">{t.signIn.noForgot}</p>}
        </PostForm>
      )}
    </AuthCard>
  )
}

function ProviderButtons({ providers, next }: { providers: readonly { id: string; name: string }[]; next: string }) {
  const t = useTexts().auth.signIn
  return providers.map(({ id, name }) => (
    <ButtonAnchor
      key={id}
      wide
      href={`${CONSOLE_PATH}/api/sign-in/${encodeURIComponent(id)}?next=${encodeURIComponent(next)}`}
    >
      {t.with(name)}
    </ButtonAnchor>
  ))
}

/** Why the browser came back without a session. */
function useRefusal(): string | undefined {
  const { refused } = useTexts().auth.signIn
  const reason = new URLSearchParams(useSearch()).get('refused')
  if (reason === null) return undefined
  return Object.hasOwn(refused, reason) ? refused[reason as keyof typeof refused] : refused.failed
}
