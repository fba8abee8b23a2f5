// Pages behind links that work once. Their token is in the fragment of the URL, which browsers do not send to servers.

import { useEffect, useRef, useState } from 'react'
import { type ApiError, post, type Result } from '../../api/client.ts'
import { useTexts } from '../../i18n/language.tsx'
import { ButtonLink, Spinner } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/states.tsx'
import { AuthCard } from './card.tsx'

/** Read once: then the token leaves the address bar, and with it the history of the browser. */
export function useLinkToken(): string {
  const [token] = useState(() => window.location.hash.slice(1))
  useEffect(() => {
    if (window.location.hash) window.history.replaceState(window.history.state, '', window.location.pathname)
  }, [])
  return token
}

/** Used, replaced or too old; or the address was not copied as a whole. */
export const isExpired = ({ code, param }: ApiError): boolean => code === 'link_expired' || param === 'token'

export function ExpiredLink({ kind }: { kind: 'setup' | 'reset' | 'verify' }) {
  const t = useTexts().auth.expired
  return (
    <AuthCard title={t.title} text={kind === 'setup' ? t.setupText : t.text}>
      <div className="flex flex-wrap gap-2">
        <ButtonLink href="/sign-in" variant="primary">
          {t.signIn}
        </ButtonLink>
        {kind === 'reset' && <ButtonLink href="/forgot-password">{t.again}</ButtonLink>}
      </div>
    </AuthCard>
  )
}

type Redeemed = { state: 'working' | 'done' | 'expired' } | { state: 'failed'; error: ApiError }

/** Redeems the token of the link when the page opens. */
export function useRedeem<T>(
  token: string,
  send: (body: { token: string }) => Promise<Result<T>>,
  onDone: (value: T) => void,
): [Redeemed, () => void] {
  const [redeemed, setRedeemed] = useState<Redeemed>({ state: 'working' })
  const hasBegun = useRef(false)
  const redeem = async () => {
    setRedeemed({ state: 'working' })
    if (token === '') return setRedeemed({ state: 'expired' })
    const result = await send({ token })
    if (!result.ok)
      return setRedeemed(isExpired(result.error) ? { state: 'expired' } : { state: 'failed', error: result.error })
    setRedeemed({ state: 'done' })
    onDone(result.value)
  }
  useEffect(() => {
    // The token works once.
    if (hasBegun.current) return
    hasBegun.current = true
    void redeem()
  })
  return [redeemed, redeem]
}

export function VerifyEmailPage() {
  const t = useTexts().auth.verify
  const token = useLinkToken()
  const [redeemed, retry] = useRedeem(
    token,
    (body) => post('email/verify', body),
    () => {},
  )
  if (redeemed.state === 'expired') return <ExpiredLink kind="verify" />
  if (redeemed.state === 'done') {
    return (
      <AuthCard title={t.done} text={t.doneText}>
        <ButtonLink href="/" variant="primary">
          {t.open}
        </ButtonLink>
      </AuthCard>
    )
  }
  return <Working title={t.working} redeemed={redeemed} retry={retry} />
}

export function Working({ title, redeemed, retry }: { title: string; redeemed: Redeemed; retry: () => void }) {
  return (
    <AuthCard title={title}>
      {redeemed.state === 'failed' ? (
        <ErrorState error={redeemed.error} retry={retry} />
      ) : (
        <div role="status" aria-label={title} className="text-muted">
          <Spinner />
        </div>
      )}
    </AuthCard>
  )
}
