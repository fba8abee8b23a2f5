// Invites a person by a link, which is shown once.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../../api/client.ts'
import type { NewInvitationRow } from '../../../api/types.ts'
import { useFormGuard, useLeaveGuard } from '../../../app/leave-guard.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { CodeBlock } from '../../../ui/copy.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { FormDialog } from '../../../ui/form/form-dialog.tsx'
import { Time } from '../../../ui/values.tsx'

export function InviteDialog({ onClose }: { onClose(): void }) {
  const [made, setMade] = useState<NewInvitationRow>()
  return made ? <Made invitation={made} onClose={onClose} /> : <Terms onClose={onClose} onMade={setMade} />
}

function Terms({ onClose, onMade }: { onClose(): void; onMade(made: NewInvitationRow): void }) {
  const { settings } = useTexts()
  const t = settings.members
  const client = useQueryClient()
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<'owner' | 'member'>('member')
  const close = useFormGuard(email !== '', onClose)
  const form = useForm({
    fields: ['email'],
    check: () => ({}),
    send: () => post('invitations', { member_role: role, ...(email.trim() === '' ? {} : { email: email.trim() }) }),
    done(made) {
      void client.invalidateQueries({ queryKey: ['invitations'] })
      onMade(made)
    },
  })
  return (
    <FormDialog title={t.invite.title} action={t.invite.submit} form={form} onClose={close}>
      <TextField
        label={t.invite.email}
        type="email"
        autoComplete="off"
        optional
        value={email}
        onChange={setEmail}
        hint={t.invite.emailHint}
        error={form.errors.email}
      />
      <SelectField
        label={t.invite.role}
        value={role}
        onChange={(value) => setRole(value as 'owner' | 'member')}
        options={(['member', 'owner'] as const).map((value) => ({ value, label: t.roles[value] }))}
        hint={t.invite.roleHints[role]}
      />
    </FormDialog>
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
