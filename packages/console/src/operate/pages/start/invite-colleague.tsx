import { useState } from 'react'
import { CodeBlock } from '../../../ui/copy.tsx'
import { Part } from '../../../ui/page.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { ActForm } from '../../ui/act-form.tsx'

const ROLES = ['admin', 'finance', 'support', 'viewer'] as const

export function InviteColleague() {
  const { start, shell } = useOperateTexts()
  const t = start.invite
  const [url, setUrl] = useState<string>()
  return (
    <Part title={t.heading} text={t.explained}>
      <ActForm
        method="POST"
        path="invitations"
        permission="people"
        className="flex max-w-[400px] flex-col gap-3"
        action={t.submit}
        fields={[
          {
            name: 'role',
            label: t.role,
            usual: 'admin',
            as: ROLES.map((value) => ({ value, label: shell.roles[value] })),
          },
          { name: 'email', label: t.email, type: 'email', hint: t.emailHint },
        ]}
        question={({ role }) => ({
          title: t.title(shell.roles[role as (typeof ROLES)[number]]),
          text: t.text,
          action: t.create,
          done: t.created,
          hideChanges: true,
        })}
        onDone={(invited) => setUrl(invited.url)}
      />
      {url !== undefined && (
        <div aria-live="polite" className="flex flex-col gap-1">
          <p>{t.link}</p>
          <CodeBlock code={url} label={t.linkLabel} wrap />
        </div>
      )}
    </Part>
  )
}
