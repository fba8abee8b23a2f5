import { useState } from 'react'
import { useAbout } from '../../../api/queries.ts'
import { ShownOnce } from '../../../pages/keys/secret.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { FormDialog } from '../../../ui/form/form-dialog.tsx'
import { rehearse } from '../../api/client.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { type Role, useRole } from '../../ui/permissions.ts'
import { rolesToGive } from './ranks.ts'
import { PermissionsOf } from './roles.tsx'

const DAY_MS = 86_400_000
const DAYS = [1, 7, 30, 90]

type Made = { url: string; mailed: boolean; whom: string }

/** The link is shown once, when the invitation is made. */
export function InviteDialog({ onClose }: { onClose(): void }) {
  const texts = useOperateTexts()
  const t = texts.people.invite
  const act = useAct()
  const words = useWords()
  const own = useRole()
  const mail = useAbout().data?.mail ?? false
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [days, setDays] = useState('7')
  const [made, setMade] = useState<Made>()
  const whom = email.trim() === '' ? t.anyone : email.trim()
  const change = () => ({
    method: 'POST' as const,
    path: 'invitations' as const,
    body: {
      role,
      ...(email.trim() === '' ? {} : { email: email.trim() }),
      expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString(),
    },
  })
  const form = useForm({
    fields: ['email', 'role'],
    check: () => (email.trim() === '' || /^[^\s@]+@[^\s@]+$/.test(email.trim()) ? {} : { email: t.emailWrong }),
    send: () => rehearse(change()),
    done: async () => {
      const done = await act({
        ...change(),
        ...words('invitation create', whom),
        text: t.what(texts.shell.roles[role], t.dayCount(Number(days))),
        hideChanges: true,
      })
      if (done) setMade({ url: done.url, mailed: done.mailed, whom })
    },
  })
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
    <FormDialog title={t.title} action={t.next} form={form} onClose={onClose}>
      <TextField
        label={t.email}
        name="email"
        type="email"
        autoComplete="off"
        optional
        value={email}
        onChange={setEmail}
        hint={mail && email.trim() !== '' ? t.emailMailed : t.emailHint}
        error={form.errors.email}
      />
      <SelectField
        label={t.role}
        value={role}
        onChange={(value) => setRole(value as Role)}
        options={rolesToGive(own).map((value) => ({ value, label: texts.shell.roles[value] }))}
        error={form.errors.role}
      />
      <PermissionsOf role={role} />
      <SelectField
        label={t.days}
        value={days}
        onChange={setDays}
        options={DAYS.map((count) => ({ value: String(count), label: t.dayCount(count) }))}
      />
    </FormDialog>
  )
}
