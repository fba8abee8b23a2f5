// Rotating and deleting a key: each asks once.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { remove } from '../../api/client.ts'
import type { KeyRow, KeyWithSecret } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import type { Field } from '../../ui/form/fields.ts'
import { PostForm } from '../../ui/form/post-form.tsx'
import { useErrorMessage } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'

const GRACES = { none: 0, hour: 3_600, day: 86_400, days3: 3 * 86_400, week: 7 * 86_400 } as const

type KeyDialogProps = { subject: KeyRow; onClose(): void }

/** What is asked before a secret is rotated, for account holders and operators. */
export function useRotation({ name, last_four }: KeyRow) {
  const t = useTexts().keys.rotate
  const grace: Field<'grace_seconds'> = {
    name: 'grace_seconds',
    label: t.grace,
    hint: t.graceHint,
    usual: 'day',
    as: (Object.keys(GRACES) as (keyof typeof GRACES)[]).map((value) => ({ value, label: t.graces[value] })),
    write: (text) => GRACES[text as keyof typeof GRACES],
  }
  return { title: t.title(name), action: t.submit, fields: [<p key="text">{t.text(last_four)}</p>, grace] }
}

/** For an account holder's own keys. */
export function RotateDialog({
  subject,
  onClose,
  onRotated,
}: KeyDialogProps & { onRotated(rotated: KeyWithSecret): void }) {
  const path = { path: 'keys/{id}/rotate', params: { id: subject.id } } as const
  return <PostForm {...path} {...useRotation(subject)} refreshes={['keys']} onClose={onClose} onDone={onRotated} />
}

export function DeleteDialog({ subject, onClose }: KeyDialogProps) {
  const t = useTexts().keys.remove
  const toast = useToast()
  const queries = useQueryClient()
  const message = useErrorMessage()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const confirm = async () => {
    setBusy(true)
    setError(undefined)
    const result = await remove('keys/{id}', { id: subject.id })
    setBusy(false)
    if (!result.ok) return setError(message(result.error))
    void queries.invalidateQueries({ queryKey: ['keys'] })
    toast(t.done(subject.name))
    onClose()
  }
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={t.title(subject.name)}
      action={t.submit}
      onConfirm={confirm}
      busy={isBusy}
      error={error}
    >
      <p>{t.text(subject.last_four)}</p>
      <p className="text-muted">{t.kept}</p>
    </ConfirmDialog>
  )
}
