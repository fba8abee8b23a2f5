// A webhook or an email address: a new one, or one that is there already.
import { useState } from 'react'
import { ShownOnce } from '../../../pages/keys/secret.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'

/** `id`: of the one that is edited. */
type Props = { kind: 'webhook' | 'email'; id?: string; onClose(): void }

export function TargetForm({ kind, id, onClose }: Props) {
  const t = useOperateTexts().alerts.targets
  const words = useWords()
  const [secret, setSecret] = useState<string>()
  if (secret !== undefined)
    return (
      <ShownOnce
        title={t.made}
        text={t.madeText}
        label={t.secret}
        secret={secret}
        loss={{ title: t.leave, text: t.leaveText }}
        onClose={onClose}
      />
    )
  const isNew = id === undefined
  const url = { name: 'url', label: t.url, hint: isNew ? t.urlHint : t.urlKept } as const
  const shared = {
    fields:
      kind === 'email'
        ? [{ name: 'email', label: t.email, missing: t.emailMissing } as const]
        : [
            { ...url, ...(isNew ? { missing: t.urlMissing } : {}) },
            { name: 'secret', label: t.secret, hint: isNew ? t.secretHint : t.secretKept, as: 'secret' } as const,
          ],
    action: t.next,
  }
  if (!isNew) {
    const question = words('alert target replace', id)
    const route = { method: 'POST', path: 'alerts/targets/{target}/replace', params: { target: id } } as const
    return <ActForm {...route} {...shared} title={question.title} question={question} onClose={onClose} />
  }
  const title = kind === 'email' ? t.addEmail : t.addWebhook
  return (
    <ActForm
      method="POST"
      path="alerts/targets"
      {...shared}
      title={title}
      question={words('alert target add')}
      onDone={({ secret: made }) => (made === null ? onClose() : setSecret(made))}
      onClose={onClose}
    />
  )
}
