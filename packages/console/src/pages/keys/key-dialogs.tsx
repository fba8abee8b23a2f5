// Rotating and deleting a key: each asks once.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { remove } from '../../api/client.ts'
import type { KeyRow, KeyWithSecret } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { Banner, useErrorMessage } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type KeySource, useOwnKeys } from './key-source.ts'

const GRACES = { none: 0, hour: 3_600, day: 86_400, days3: 3 * 86_400, week: 7 * 86_400 } as const
type Grace = keyof typeof GRACES

type KeyDialogProps = { subject: KeyRow; onClose(): void }

type RotateDialogProps = KeyDialogProps & { onRotated(rotated: KeyWithSecret): void }

/** For an account holder's own keys. */
export function RotateDialog(props: RotateDialogProps) {
  return <RotateDialogOf {...props} source={useOwnKeys()} />
}

export function RotateDialogOf({ source, subject, onClose, onRotated }: RotateDialogProps & { source: KeySource }) {
  const { keys, common } = useTexts()
  const t = keys.rotate
  const message = useErrorMessage()
  const [grace, setGrace] = useState<Grace>('day')
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const rotate = async () => {
    setBusy(true)
    setError(undefined)
    const result = await source.rotate(subject, GRACES[grace])
    setBusy(false)
    if (!result.ok) return setError(message(result.error))
    if (result.value) onRotated(result.value)
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={t.title(subject.name)}
      footer={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button variant="primary" busy={isBusy} onClick={rotate}>
            {t.submit}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error && <Banner tone="bad">{error}</Banner>}
        <p>{t.text(subject.last_four)}</p>
        <SelectField
          label={t.grace}
          value={grace}
          onChange={(value) => setGrace(value as Grace)}
          options={(Object.keys(GRACES) as Grace[]).map((value) => ({ value, label: t.graces[value] }))}
          hint={t.graceHint}
        />
      </div>
    </Dialog>
  )
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
