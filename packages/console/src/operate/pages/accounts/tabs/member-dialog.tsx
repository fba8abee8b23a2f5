// A person of the account: the role, and for members a cap.

import { useState } from 'react'
import { useTexts } from '../../../../i18n/language.tsx'
import { isAmount, PERIODS } from '../../../../pages/keys/form-values.ts'
import { SelectField, TextField } from '../../../../ui/form/field.tsx'
import { useForm } from '../../../../ui/form/form.ts'
import { FormDialog } from '../../../../ui/form/form-dialog.tsx'
import { rehearse } from '../../../api/client.ts'
import type { Output } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { useAct } from '../../../ui/act.tsx'
import { useOperateError } from '../../../ui/errors.ts'
import { useMay } from '../../../ui/permissions.ts'

export type Person = Output<'GET', 'accounts/{account}/members'>['people'][number]

const ROLES = ['member', 'owner'] as const

/** Without a person: a new one. */
export function MemberDialog({ account, person, onClose }: { account: string; person?: Person; onClose(): void }) {
  const { keys } = useTexts()
  const { accounts } = useOperateTexts()
  const t = accounts.peopleTab
  const words = person ? t.edit : t.add
  const act = useAct()
  const messageOf = useOperateError()
  const [email, setEmail] = useState(person?.email ?? '')
  const [role, setRole] = useState(person?.role ?? 'member')
  const [cap, setCap] = useState(person?.cap_usd ?? '')
  const [period, setPeriod] = useState(person?.cap_period ?? 'month')
  const hasCap = useMay()('money') && role === 'member'
  const terms = () => {
    if (!hasCap) return {}
    if (cap.trim() !== '') return { cap_usd: cap.trim(), cap_period: period }
    return person?.cap_usd ? { cap_usd: null } : {}
  }
  const change = () =>
    ({
      method: 'POST',
      path: 'accounts/{account}/members',
      params: { account },
      body: { email: email.trim(), role, ...terms() },
    }) as const
  const form = useForm({
    fields: ['email', 'cap_usd'],
    check: () => ({
      ...(email.trim() === '' ? { email: t.add.missing } : {}),
      ...(hasCap && cap.trim() !== '' && !isAmount(cap.trim()) ? { cap_usd: keys.form.errors.cap } : {}),
    }),
    send: () => rehearse(change()),
    rejected: (error) => ({ [error.param === 'cap_usd' ? 'cap_usd' : 'email']: messageOf(error) }),
    async done(rehearsed) {
      const { action, done } = words
      if (await act({ ...change(), rehearsed, title: words.ask(email.trim()), action, done })) onClose()
    },
  })
  return (
    <FormDialog
      title={person ? t.edit.title(person.email) : t.add.title}
      action={t.check}
      form={form}
      onClose={onClose}
    >
      <TextField
        label={t.email}
        type="email"
        autoComplete="off"
        disabled={person !== undefined}
        hint={person ? undefined : t.add.hint}
        value={email}
        onChange={setEmail}
        error={form.errors.email}
      />
      <SelectField
        label={t.role}
        value={role}
        onChange={(next) => setRole(ROLES.find((each) => each === next) ?? 'member')}
        options={ROLES.map((value) => ({ value, label: accounts.roles[value] }))}
        hint={t.ownerHint}
      />
      {hasCap && (
        <div className="grid grid-cols-2 items-start gap-x-3">
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
            disabled={cap.trim() === ''}
            onChange={(next) => setPeriod(PERIODS.find((each) => each === next) ?? 'month')}
            options={PERIODS.map((value) => ({ value, label: keys.form.periods[value] }))}
          />
        </div>
      )}
    </FormDialog>
  )
}
