// The link from the operator's terminal: of the first start, or for an account holder who is locked out.

import { useState } from 'react'
import { post, read } from '../../api/client.ts'
import { OPERATE } from '../../app/operate-path.ts'
import { useSessionChange } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ExpiredLink, useLinkToken, useRedeem, Working } from './links.tsx'
import { NewPasswordCard } from './new-password.tsx'

/** Signs in to an account without a password, and leads to it; else a new password replaces the one that was lost. */
export function SetupPage() {
  const t = useTexts().auth
  const token = useLinkToken()
  const toast = useToast()
  const changeSession = useSessionChange()
  const [hasExpired, setExpired] = useState(false)
  const [needsPassword, setNeedsPassword] = useState(false)
  const [redeemed, retry] = useRedeem(
    token,
    (body) => post('setup', body),
    async (result) => {
      if ('password_required' in result) return setNeedsPassword(true)
      // Who sets the gateway up begins there, and is asked for a password there, too.
      const session = await read('session', {})
      if (session.ok && session.value.gateway_role !== null) return changeSession(OPERATE)
      toast(t.setup.done, 'plain')
      changeSession('/settings#password')
    },
  )
  if (hasExpired || redeemed.state === 'expired') return <ExpiredLink kind="setup" />
  if (!needsPassword) return <Working title={t.setup.working} redeemed={redeemed} retry={retry} />
  return (
    <NewPasswordCard
      send={(password) => post('setup', { token, password })}
      onDone={({ signed_in: isSignedIn }) => {
        toast(isSignedIn ? t.setup.changed : t.reset.done)
        changeSession(isSignedIn ? '/' : '/sign-in')
      }}
      onExpired={() => setExpired(true)}
    />
  )
}
