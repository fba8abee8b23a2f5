// What all keys of a member may spend together.
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { post } from '../../../api/client.ts'
import type { MemberRow } from '../../../api/types.ts'
import { useFormGuard } from '../../../app/leave-guard.tsx'
import { useTexts } from '../../../i18n/language.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { FormDialog } from '../../../ui/form/form-dialog.tsx'
import { useToast } from '../../../ui/toast.tsx'
import { PERIODS, type Period } from '../../keys/form-values.ts'

export function CapDialog({ member, onClose }: { member: MemberRow; onClose(): void }) {
  const { settings, keys, common } = useTexts()
  const t = settings.members
  const client = useQueryClient()
  const toast = useToast()
  const initial = { cap: member.cap_usd ?? '', period: member.cap_period ?? ('month' as const) }
  const [cap, setCap] = useState(initial.cap)
  const [period, setPeriod] = useState<Exclude<Period, 'never'>>(initial.period)
  const close = useFormGuard(cap !== initial.cap || period !== initial.period, onClose)
  const form = useForm({
    fields: ['cap_usd'],
    check: () => (/^(\d{1,9}(\.\d{1,9})?)?$/.test(cap.trim()) ? {} : { cap_usd: keys.form.errors.cap }),
    send: () =>
      post('members', { email: member.email, cap_usd: cap.trim() === '' ? null : cap.trim(), cap_period: period }),
    done() {
      toast(t.saved(member.email))
      void client.invalidateQueries({ queryKey: ['members'] })
      onClose()
    },
  })
  return (
    <FormDialog title={t.changeOf(member.email)} action={common.save} form={form} onClose={close}>
      <TextField
        label={keys.form.cap}
        optional
        inputMode="decimal"
        autoComplete="off"
        value={cap}
        onChange={setCap}
        hint={t.capHint}
        error={form.errors.cap_usd}
      />
      <SelectField
        label={keys.form.period}
        value={period}
        onChange={(next) => setPeriod(next as Exclude<Period, 'never'>)}
        options={PERIODS.map((each) => ({ value: each, label: keys.form.periods[each] }))}
      />
    </FormDialog>
  )
}
