// Credit for one account or several: the amount, then the balance after it, with a reason that the ledger keeps.

import { useState } from 'react'
import { TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { FormDialog } from '../../../ui/form/form-dialog.tsx'
import { type AnyChange, rehearse } from '../../api/client.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useAct } from '../../ui/act.tsx'
import type { Act } from '../../ui/act-types.ts'
import { useOperateError } from '../../ui/errors.ts'

type CreditProps = {
  title: string
  change(amount: string): AnyChange
  onClose(): void
  onDone(result: unknown): void
}

const AMOUNT = /^-?\d{1,9}(\.\d{1,9})?$/

export function CreditDialog({ title, change, onClose, onDone }: CreditProps) {
  const t = useOperateTexts().accounts.credit
  const messageOf = useOperateError()
  const act = useAct()
  const [amount, setAmount] = useState('')
  const written = amount.trim()
  const form = useForm({
    fields: ['amount'],
    check: () => (AMOUNT.test(written) && Number(written) !== 0 ? {} : { amount: t.wrongAmount }),
    send: () => rehearse(change(written)),
    rejected: (error) => ({ amount: messageOf(error) }),
    async done(rehearsed) {
      const given = {
        title: t.confirm(written),
        action: t.book,
        done: t.done,
        reason: 'required' as const,
        hideChanges: true,
      }
      const result = await act({ ...change(written), ...given, rehearsed } as Act<'POST', 'accounts/{account}/credits'>)
      if (result) onDone(result)
    },
  })
  return (
    <FormDialog title={title} action={t.check} form={form} onClose={onClose}>
      <TextField
        label={t.amount}
        inputMode="decimal"
        autoComplete="off"
        placeholder="25.00"
        hint={t.amountHint}
        value={amount}
        onChange={setAmount}
        error={form.errors.amount}
      />
    </FormDialog>
  )
}
