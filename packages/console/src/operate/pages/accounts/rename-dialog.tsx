import { useState } from 'react'
import { TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { FormDialog } from '../../../ui/form/form-dialog.tsx'
import { rehearse } from '../../api/client.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { useOperateError } from '../../ui/errors.ts'
import type { Account } from './account-state.tsx'

export function RenameDialog({ account, onClose }: { account: Account; onClose(): void }) {
  const t = useOperateTexts().accounts.rename
  const act = useAct()
  const words = useWords()
  const messageOf = useOperateError()
  const [name, setName] = useState(account.name)
  const to = (next: string) =>
    ({
      method: 'PATCH',
      path: 'accounts/{account}',
      params: { account: account.id },
      body: { name: next },
      ...words('account edit', account.name),
    }) as const
  const form = useForm({
    fields: ['name'],
    check: () => (name.trim() === '' ? { name: t.missing } : {}),
    send: () => rehearse(to(name.trim())),
    rejected: (error) => ({ name: messageOf(error) }),
    async done(rehearsed) {
      if (await act({ ...to(name.trim()), rehearsed, undo: to(account.name) })) onClose()
    },
  })
  return (
    <FormDialog title={t.form(account.name)} action={t.check} form={form} onClose={onClose}>
      <TextField label={t.name} autoComplete="off" value={name} onChange={setName} error={form.errors.name} />
    </FormDialog>
  )
}
