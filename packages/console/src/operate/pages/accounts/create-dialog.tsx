// A new account, of a person by the email address, or of none by a name.

import { useId, useState } from 'react'
import { useTexts } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { Banner } from '../../../ui/states.tsx'
import { rehearse } from '../../api/client.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useAct } from '../../ui/act.tsx'
import { useOperateError } from '../../ui/errors.ts'
import { useMay } from '../../ui/permissions.ts'

export function CreateAccountDialog({ onClose, onCreated }: { onClose(): void; onCreated(id: string): void }) {
  const { common } = useTexts()
  const t = useOperateTexts().accounts.create
  const messageOf = useOperateError()
  const act = useAct()
  const may = useMay()
  const id = useId()
  const [owner, setOwner] = useState('')
  const [credit, setCredit] = useState('')
  const change = () => {
    const who = owner.trim().includes('@') ? { email: owner.trim() } : { name: owner.trim() }
    const body = { ...who, ...(credit.trim() === '' ? {} : { credit_usd: credit.trim() }) }
    return { method: 'POST', path: 'accounts', body } as const
  }
  const { errors, isBusy, submit } = useForm({
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
    <Dialog
      open
      onClose={onClose}
      title={t.open}
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
          label={t.owner}
          autoComplete="off"
          placeholder="ada@example.com"
          hint={t.ownerHint}
          value={owner}
          onChange={setOwner}
          error={errors.owner}
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
            error={errors.credit}
          />
        )}
      </form>
    </Dialog>
  )
}
