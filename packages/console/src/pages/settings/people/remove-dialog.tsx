// Takes a person out of the account, at once.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../../api/client.ts'
import type { MemberRow } from '../../../api/types.ts'
import { useTexts } from '../../../i18n/language.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { Checkbox } from '../../../ui/form/field.tsx'
import { useErrorMessage } from '../../../ui/states.tsx'
import { useToast } from '../../../ui/toast.tsx'

export function RemoveDialog({ member: { email }, onClose }: { member: MemberRow; onClose(): void }) {
  const t = useTexts().settings.members.remove
  const client = useQueryClient()
  const toast = useToast()
  const message = useErrorMessage()
  const [keepsKeys, setKeepsKeys] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const remove = async () => {
    setBusy(true)
    setError(undefined)
    const result = await post('members/remove', { email, keep_keys: keepsKeys })
    setBusy(false)
    if (!result.ok) return setError(message(result.error))
    void client.invalidateQueries({ queryKey: ['members'] })
    void client.invalidateQueries({ queryKey: ['keys'] })
    toast(t.done(email))
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.title(email)}
      action={t.submit}
      onConfirm={remove}
      busy={isBusy}
      error={error}
    >
      <p>{t.text}</p>
      <Checkbox checked={keepsKeys} onChange={setKeepsKeys} label={t.keep} hint={t.keepHint} />
    </ConfirmDialog>
  )
}
