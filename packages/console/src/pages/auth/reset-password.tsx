import { useState } from 'react'
import { post } from '../../api/client.ts'
import { useSessionChange } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { useToast } from '../../ui/toast.tsx'
import { ExpiredLink, useLinkToken } from './links.tsx'
import { NewPasswordCard } from './new-password.tsx'

export function ResetPasswordPage() {
  const t = useTexts().auth
  const token = useLinkToken()
  const toast = useToast()
  const changeSession = useSessionChange()
  const [hasExpired, setExpired] = useState(token === '')
  if (hasExpired) return <ExpiredLink kind="reset" />
  return (
    <NewPasswordCard
      send={(password) => post('password/reset', { token, password })}
      onDone={() => {
        toast(t.reset.done)
        changeSession('/sign-in')
      }}
      onExpired={() => setExpired(true)}
    />
  )
}
