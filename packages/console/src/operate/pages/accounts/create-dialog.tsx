// A new account, of a person by the email address, or of none by a name.

import { useState } from 'react'
import { TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { FormDialog } from '../../../ui/form/form-dialog.tsx'
import { rehearse } from '../../api/client.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { useOperateError } from '../../ui/errors.ts'
import { useMay } from '../../ui/permissions.ts'

export function CreateAccountDialog({ onClose, onCreated }: { onClose(): void; onCreated(id: string): void }) {
  const t = useOperateTexts().accounts.create
  const messageOf = useOperateError()
  const act = useAct()
  const words = useWords()
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
      const made = await act({ ...change(), rehearsed, ...words('account create', owner.trim()) })
      if (made) onCreated(made.id)
    },
  })
  return (
    <FormDialog title={words('account create').action} action={t.check} form={form} onClose={onClose}>
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
