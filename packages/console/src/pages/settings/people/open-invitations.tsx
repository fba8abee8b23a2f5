// Invitations that nobody has accepted yet.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { remove } from '../../../api/client.ts'
import { useRead } from '../../../api/queries.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { useErrorMessage } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { Time } from '../../../ui/values.tsx'

export function OpenInvitations() {
  const t = useTexts().settings.members
  const { data = [] } = useRead('invitations')
  const client = useQueryClient()
  const toast = useToast()
  const message = useErrorMessage()
  const [busy, setBusy] = useState<string>()
  const revoke = async (id: string) => {
    setBusy(id)
    const result = await remove('invitations/{id}', { id })
    setBusy(undefined)
    if (!result.ok) return toast(message(result.error), 'bad')
    void client.invalidateQueries({ queryKey: ['invitations'] })
    toast(t.invite.revoked)
  }
  if (data.length === 0) return null
  return (
    <section aria-label={t.invite.openOnes} className="mt-4">
      <h3 className="mb-2 font-medium">{t.invite.openOnes}</h3>
      <ul className="divide-y rounded-md border">
        {data.map(({ id, email, member_role: role, expires_at: expires }) => (
          <li key={id} className="flex items-center gap-4 px-3 py-2">
            <div className="min-w-0 grow">
              <div className="break-all">{email ?? t.invite.anyone}</div>
              <div className="text-sm text-muted">
                {role && t.roles[role]}
                {' \u00b7 '}
                {t.invite.until} <Time at={expires} />
              </div>
            </div>
            <Button
              small
              busy={busy === id}
              aria-label={t.invite.revokeOf(email ?? t.invite.anyone)}
              onClick={() => void revoke(id)}
            >
              {t.invite.revoke}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
