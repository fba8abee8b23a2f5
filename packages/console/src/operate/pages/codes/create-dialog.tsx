// A new batch of codes.

import { useId, useState } from 'react'
import { useTexts } from '../../../i18n/language.tsx'
import { EXPIRY_DAYS, isAmount } from '../../../pages/keys/form-values.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { Banner } from '../../../ui/states.tsx'
import { rehearse } from '../../api/client.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { useOperateError } from '../../ui/errors.ts'
import type { NewCode } from './new-codes.tsx'

const FIELDS = { amount_usd: 'amount', count: 'count', label: 'label', expires_at: 'expiry' } as const
const MOST = 10_000
const DAY_MS = 86_400_000
type Expiry = 'never' | keyof typeof EXPIRY_DAYS

type CreateProps = { onClose(): void; onCreated(made: { label: string; codes: readonly NewCode[] }): void }

export function CreateCodesDialog({ onClose, onCreated }: CreateProps) {
  const { common, keys } = useTexts()
  const t = useOperateTexts().codes.create
  const messageOf = useOperateError()
  const act = useAct()
  const words = useWords()
  const id = useId()
  const [label, setLabel] = useState('')
  const [amount, setAmount] = useState('')
  const [count, setCount] = useState('1')
  const [expiry, setExpiry] = useState<Expiry>('days90')
  const change = () => {
    const at = expiry === 'never' ? null : new Date(Date.now() + EXPIRY_DAYS[expiry] * DAY_MS).toISOString()
    const body = { amount_usd: amount.trim(), count: Number(count.trim()), label: label.trim(), expires_at: at }
    return { method: 'POST', path: 'codes', body } as const
  }
  const { errors, isBusy, submit } = useForm({
    fields: ['label', 'amount', 'count', 'expiry'],
    check: () => ({
      ...(label.trim() === '' ? { label: t.wrongLabel } : {}),
      ...(isAmount(amount.trim()) ? {} : { amount: keys.form.errors.cap }),
      ...(/^[1-9]\d{0,4}$/.test(count.trim()) && Number(count) <= MOST ? {} : { count: t.wrongCount }),
    }),
    send: () => rehearse(change()),
    rejected: (error) => ({ [FIELDS[error.param as keyof typeof FIELDS] ?? 'form']: messageOf(error) }),
    async done(rehearsed) {
      const sent = change()
      const made = await act({ ...sent, rehearsed, ...words('code create', label.trim()), hideChanges: true })
      if (made) onCreated({ label: label.trim(), codes: made.codes })
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={words('code create').action}
      footer={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" form={id} variant="primary" busy={isBusy}>
            {t.check}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={submit} className="flex flex-col gap-4">
        {errors.form && <Banner tone="bad">{errors.form}</Banner>}
        <TextField
          label={t.label}
          autoComplete="off"
          maxLength={100}
          placeholder="spring-2027"
          hint={t.labelHint}
          value={label}
          onChange={setLabel}
          error={errors.label}
        />
        <div className="grid grid-cols-2 items-start gap-x-3">
          <TextField
            label={t.amount}
            inputMode="decimal"
            autoComplete="off"
            placeholder="10.00"
            value={amount}
            onChange={setAmount}
            error={errors.amount}
          />
          <TextField
            label={t.count}
            inputMode="numeric"
            autoComplete="off"
            value={count}
            onChange={setCount}
            error={errors.count}
          />
        </div>
        <SelectField
          label={keys.form.expiry}
          value={expiry}
          onChange={(next) => setExpiry(next as Expiry)}
          options={(['never', ...(Object.keys(EXPIRY_DAYS) as (keyof typeof EXPIRY_DAYS)[])] as const).map((value) => ({
            value,
            label: keys.form.expiries[value],
          }))}
          error={errors.expiry}
        />
      </form>
    </Dialog>
  )
}
