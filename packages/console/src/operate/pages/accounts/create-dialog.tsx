// A new account, of a person by the email address, or of none by a name.

import { useState } from 'react'
import { TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { FormDialog } from '../../../ui/form/form-dialog.tsx'
import { rehearse } from '../../api/client.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useAct } from '../../ui/act.tsx'
import { useOperateError } from '../../ui/errors.ts'
import { useMay } from '../../ui/permissions.ts'

export function CreateAccountDialog({ onClose, onCreated }: { onClose(): void; onCreated(id: string): void }) {
  const t = useOperateTexts().accounts.create
  const messageOf = useOperateError()
  const act = useAct()
  const may = useMay()
  const [owner, setOwner] = useState('')
  const [credit, setCredit] = useState('')
  const change = () => {
    const who = owner.trim().includes('@') ? { email: owner.trim() } : { name: owner.trim() }
    const body = { ...who, ...(credit.trim() === '' ? {} : { credit_usd: credit.trim() }) }
    return { method: 'POST', path: 'accounts', body } as const
  }
  const form = useForm({
    fields: ['owner', 'credit'],
    check: () => (owner.trim() === '' ? { owner: t.missing } : {}),
    send: () => rehearse(change()),
    rejected: (error) => ({ [error.param === 'credit_usd' ? 'credit' : 'owner']: messageOf(error) }),
    async done(rehearsed) {
      const title = t.title(owner.trim())
      const made = await act({ ...change(), rehearsed, title, action: t.open, done: t.done })
      if (made) onCreated(made.id)
    },
  })
  return (
    <FormDialog title={t.open} action={t.check} form={form} onClose={onClose}>
      <TextField
        label={t.owner}
        autoComplete="off"
        placeholder="ada@example.com"
        hint={t.ownerHint}
        value={owner}
        onChange={setOwner}
        error={form.errors.owner}
      />
      {may('money') && (
        <TextField
          label={t.credit}
          optional
          inputMode="decimal"
          autoComplete="off"
          hint={t.creditHint}
          value={credit}
          onChange={setCredit}
          error={form.errors.credit}
        />
      )}
    </FormDialog>
  )
}
