// Terms that several keys get at once. What is left empty stays as it is for each of them.

import { useState } from 'react'
import { useTexts } from '../../../i18n/language.tsx'
import { EXPIRY_DAYS, fieldOf, isAmount, limitErrorsIn, PERIODS, type Period } from '../../../pages/keys/form-values.ts'
import type { KeySource } from '../../../pages/keys/key-source.ts'
import { CapFields, LimitFields } from '../../../pages/keys/term-fields.tsx'
import { SelectField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { FormDialog } from '../../../ui/form/form-dialog.tsx'
import { rehearse } from '../../api/client.ts'
import type { Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useAct } from '../../ui/act.tsx'

type BulkKeysProps = {
  ids: string[]
  source: KeySource
  onClose(): void
  onDone(result: Schemas['BulkResult']): void
}
type ExpiryChoice = '' | 'never' | keyof typeof EXPIRY_DAYS
const DAY_MS = 86_400_000

export function BulkKeysDialog({ ids, source, onClose, onDone }: BulkKeysProps) {
  const { keys } = useTexts()
  const t = useOperateTexts().keys.bulk
  const act = useAct()
  const [group, setGroup] = useState('')
  const [expiry, setExpiry] = useState<ExpiryChoice>('')
  const [cap, setCap] = useState({ cap: '', period: 'never' as Period })
  const [limits, setLimits] = useState({ rpm: '', tpm: '', concurrent: '' })

  const termsOf = () => {
    const given = Object.entries(limits).filter(([, value]) => value.trim() !== '')
    const days = expiry === '' || expiry === 'never' ? undefined : EXPIRY_DAYS[expiry]
    const at = days === undefined ? null : new Date(Date.now() + days * DAY_MS).toISOString()
    const period = PERIODS.find((each) => each === cap.period) ?? null
    return {
      ...(group === '' ? {} : { group }),
      ...(cap.cap.trim() === '' ? {} : { cap_usd: cap.cap.trim(), cap_period: period }),
      ...(expiry === '' ? {} : { expires_at: at }),
      ...(given.length === 0
        ? {}
        : { limits: Object.fromEntries(given.map(([name, value]) => [name, Number(value)])) }),
    }
  }
  const change = () =>
    ({ method: 'POST', path: 'keys/bulk', body: { keys: ids, act: 'edit', terms: termsOf() } }) as const

  const form = useForm({
    fields: ['cap', 'period', 'rpm', 'tpm', 'concurrent'],
    check: () => ({
      ...(cap.cap.trim() !== '' && !isAmount(cap.cap.trim()) ? { cap: keys.form.errors.cap } : {}),
      ...limitErrorsIn(limits, keys.form.errors.limit),
      ...(Object.keys(termsOf()).length === 0 ? { form: t.nothing } : {}),
    }),
    send: () => rehearse(change()),
    rejected: (error) => ({ [fieldOf(error.param?.replace('terms.', '') ?? null)]: error.message }),
    async done(rehearsed) {
      const title = t.editTitle(ids.length)
      const result = await act({ ...change(), rehearsed, title, action: t.edit, done: t.done })
      if (result) onDone(result)
    },
  })
  return (
    <FormDialog title={t.editTitle(ids.length)} action={t.check} form={form} onClose={onClose}>
      <p className="text-muted">{t.editText}</p>
      <SelectField
        label={keys.form.group}
        value={group}
        onChange={setGroup}
        options={[
          { value: '', label: t.unchanged },
          ...(source.groups.data ?? []).map(({ id: value }) => ({ value, label: value })),
        ]}
      />
      <CapFields
        values={cap}
        set={(next) => setCap((former) => ({ ...former, ...next }))}
        errors={form.errors}
        hint={t.emptyHint}
      />
      <SelectField
        label={keys.form.expiry}
        value={expiry}
        onChange={(next) => setExpiry(next as ExpiryChoice)}
        options={[
          { value: '', label: t.unchanged },
          ...(['never', ...(Object.keys(EXPIRY_DAYS) as (keyof typeof EXPIRY_DAYS)[])] as const).map((value) => ({
            value,
            label: keys.form.expiries[value],
          })),
        ]}
      />
      <LimitFields
        values={limits}
        set={(next) => setLimits((former) => ({ ...former, ...next }))}
        errors={form.errors}
        hint={t.emptyHint}
      />
    </FormDialog>
  )
}
