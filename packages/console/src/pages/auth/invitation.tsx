// The link of an invitation: whoever has it signs in or signs up, and accepts it.

import { useEffect, useState } from 'react'
import { post } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useSessionChange } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { PostForm } from '../../ui/form/post-form.tsx'
import { AuthCard } from './card.tsx'
import { ExpiredLink, useLinkToken, useRedeem, Working } from './links.tsx'
import { SignUpForm } from './sign-up.tsx'

/** Kept for this tab, in which the browser may leave for a provider of sign-ins and come back. */
const KEPT = 'trivium-invitation'

function useInvitation(): string {
  const fromLink = useLinkToken()
  const [token] = useState(() => fromLink || (sessionStorage.getItem(KEPT) ?? ''))
  useEffect(() => {
    if (token !== '') sessionStorage.setItem(KEPT, token)
  }, [token])
  return token
}

type Invited = { account: string | null; role: string | null; email: string | null }

export function InvitationPage() {
  const t = useTexts().auth.invitation
  const token = useInvitation()
  const [invited, setInvited] = useState<Invited>()
  const { data: session, error: sessionError } = useRead('session')
  const [shown, retry] = useRedeem(token, (body) => post('invitations/show', body), setInvited)
  const [hasExpired, setExpired] = useState(false)
  if (hasExpired || shown.state === 'expired') return <ExpiredLink kind="verify" />
  if (!invited) return <Working title={t.working} redeemed={shown} retry={retry} />
  const text = t.text(invited.account, invited.role && (t.roles[invited.role] ?? invited.role), invited.email)
  if (session && !sessionError)
    return (
      <AuthCard title={t.title} text={text}>
        <Accept token={token} email={session.account.email} onExpired={() => setExpired(true)} />
      </AuthCard>
    )
  return (
    <AuthCard title={t.title} text={text}>
      <div className="flex flex-col gap-4">
        <ButtonLink href="/sign-in?next=/invitation" variant="primary">
          {t.signIn}
        </ButtonLink>
        <p className="text-muted">{t.signUp}</p>
        <SignUpForm invitation={token} />
      </div>
    </AuthCard>
  )
}

function Accept({ token, email, onExpired }: { token: string; email: string; onExpired(): void }) {
  const t = useTexts().auth.invitation
  const changeSession = useSessionChange()
  return (
    <PostForm
      path="invitations/accept"
      body={{ token }}
      fields={[
        <p key="as" className="text-muted">
          {t.as(email)}
        </p>,
      ]}
      action={t.accept}
      button={(submit) => <Button {...submit} variant="primary" wide />}
      onDone={() => {
        sessionStorage.removeItem(KEPT)
        changeSession('/')
      }}
      rejected={({ code }) => {
        if (code === 'link_expired') onExpired()
        return undefined
      }}
    />
  )
}
