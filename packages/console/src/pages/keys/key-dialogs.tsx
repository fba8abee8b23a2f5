// Rotating and deleting a key: each asks once.

import { remove } from '../../api/client.ts'
import type { KeyRow, KeyWithSecret } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import type { Field } from '../../ui/form/fields.ts'
import { PostForm, SendForm } from '../../ui/form/post-form.tsx'

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

export function DeleteDialog({ subject: { id, name, last_four }, onClose }: KeyDialogProps) {
  const t = useTexts().keys.remove
  return (
    <SendForm
      title={t.title(name)}
      action={t.submit}
      isDangerous
      fields={[
        <p key="text">{t.text(last_four)}</p>,
        <p key="kept" className="text-muted">
          {t.kept}
        </p>,
      ]}
      send={() => remove('keys/{id}', { id })}
      refreshes={['keys']}
      said={t.done(name)}
      onClose={onClose}
    />
  )
}
