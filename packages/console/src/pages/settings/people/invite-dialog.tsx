// Invites a person by a link, which is shown once.

import { useState } from 'react'
import type { NewInvitationRow } from '../../../api/types.ts'
import { useLeaveGuard } from '../../../app/leave-guard.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/copy.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { PostForm } from '../../../ui/form/post-form.tsx'
import { Time } from '../../../ui/values.tsx'

export function InviteDialog({ onClose }: { onClose(): void }) {
  const [made, setMade] = useState<NewInvitationRow>()
  return made ? <Made invitation={made} onClose={onClose} /> : <Terms onClose={onClose} onMade={setMade} />
}

function Terms({ onClose, onMade }: { onClose(): void; onMade(made: NewInvitationRow): void }) {
  const t = useTexts().settings.members
  return (
    <PostForm
      path="invitations"
      title={t.invite.title}
      action={t.invite.submit}
      fields={[
        { name: 'email', label: t.invite.email, type: 'email', hint: t.invite.emailHint },
        {
          name: 'member_role',
          label: t.invite.role,
          usual: 'member',
          as: (['member', 'owner'] as const).map((value) => ({ value, label: t.roles[value] })),
          hint: (role) => t.invite.roleHints[role as 'owner' | 'member'],
        },
      ]}
      refreshes={['invitations']}
      onClose={onClose}
      onDone={onMade}
    />
  )
}

function Made({ invitation, onClose }: { invitation: NewInvitationRow; onClose(): void }) {
  const t = useTexts().settings.members.invite
  useLeaveGuard({ title: t.leave, text: t.leaveText })
  const { url, email, mailed, expires_at: expires } = invitation
  return (
    <Dialog
      open
      closable={false}
      onClose={onClose}
      title={t.made}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t.close}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <p>{email === null ? t.sendLink : mailed ? t.mailed(email) : t.sendLinkTo(email)}</p>
        <CodeBlock wrap code={url} label={t.link} />
        <p className="text-muted">
          {t.until} <Time at={expires} />
        </p>
      </div>
    </Dialog>
  )
}
