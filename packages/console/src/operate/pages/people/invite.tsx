import { useState } from 'react'
import { useAbout } from '../../../api/queries.ts'
import { ShownOnce } from '../../../pages/keys/secret.tsx'
import { inDays } from '../../../pages/keys/terms.tsx'
import { textIn, type Values } from '../../../ui/form/typed-values.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'
import { useRole } from '../../ui/permissions.ts'
import { rolesToGive } from './ranks.ts'
import { useRoleField } from './role-dialog.tsx'

const DAYS = [1, 7, 30, 90]

type Made = { url: string; mailed: boolean; whom: string }

/** The link is shown once, when the invitation is made. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const texts = useOperateTexts()
  const t = texts.people.invite
  const words = useWords()
  const mail = useAbout().data?.mail ?? false
  const role = useRoleField(t.role, rolesToGive(useRole()))
  const [made, setMade] = useState<Made>()
  const whomIn = (values: Values) => textIn(values, 'email').trim() || t.anyone
  if (made)
    return (
      <ShownOnce
        title={t.linkTitle}
        text={`${t.linkText(made.whom)}${made.mailed ? ` ${t.mailed}` : ''}`}
        label={t.link}
        secret={made.url}
        loss={{ title: t.leave, text: t.leaveText }}
        onClose={onClose}
      />
    )
  return (
    <ActForm
      method="POST"
      path="invitations"
      title={t.title}
      action={t.next}
      fields={[
        {
          name: 'email',
          label: t.email,
          type: 'email',
          hint: (email) => (mail && email.trim() !== '' ? t.emailMailed : t.emailHint),
          wrong: (email) => !/^[^\s@]+@[^\s@]+$/.test(email) && t.emailWrong,
        },
        { ...role, usual: 'viewer' },
        {
          name: 'expires_at',
          label: t.days,
          usual: '7',
          as: DAYS.map((count) => ({ value: String(count), label: t.dayCount(count) })),
          write: (days) => inDays(Number(days)),
        },
      ]}
      question={({ role }, values) => ({
        ...words('invitation create', whomIn(values)),
        text: t.what(
          texts.shell.roles[role as keyof typeof texts.shell.roles],
          t.dayCount(Number(textIn(values, 'expires_at'))),
        ),
        hideChanges: true,
      })}
      onClose={onClose}
      onDone={({ url, mailed }, values) => setMade({ url, mailed, whom: whomIn(values) })}
    />
  )
}
