import { type FormEvent, useState } from 'react'
import { CodeBlock } from '../../../ui/copy.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { Part } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'

const ROLES = ['admin', 'finance', 'support', 'viewer'] as const

export function InviteColleague() {
  const { start, shell } = useOperateTexts()
  const t = start.invite
  const act = useAct()
  const [role, setRole] = useState<string>('admin')
  const [email, setEmail] = useState('')
  const [url, setUrl] = useState<string>()
  const chosen = ROLES.find((each) => each === role) ?? 'viewer'
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const invited = await act({
      method: 'POST',
      path: 'invitations',
      body: { role: chosen, ...(email.trim() === '' ? {} : { email: email.trim() }) },
      title: t.title(shell.roles[chosen]),
      text: t.text,
      action: t.create,
      done: t.created,
      hideChanges: true,
    })
    if (invited) setUrl(invited.url)
  }
  return (
    <Part title={t.heading} text={t.explained}>
      <form noValidate onSubmit={submit} className="flex max-w-[400px] flex-col gap-3">
        <SelectField
          label={t.role}
          value={role}
          onChange={setRole}
          options={ROLES.map((value) => ({ value, label: shell.roles[value] }))}
        />
        <TextField
          label={t.email}
          type="email"
          hint={t.emailHint}
          optional
          autoComplete="off"
          value={email}
          onChange={setEmail}
        />
        <div>
          <ActButton permission="people" type="submit">
            {t.submit}
          </ActButton>
        </div>
      </form>
      {url !== undefined && (
        <div aria-live="polite" className="flex flex-col gap-1">
          <p>{t.link}</p>
          <CodeBlock code={url} label={t.linkLabel} wrap />
        </div>
      )}
    </Part>
  )
}
