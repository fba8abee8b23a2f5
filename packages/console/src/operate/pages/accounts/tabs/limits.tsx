// What an account may spend and how fast it may call: the fields of a key's form, for all keys together.

import { type ReactNode, useState } from 'react'
import { useTexts } from '../../../../i18n/language.tsx'
import { fieldOf, isAmount, LIMITS, limitErrorsIn, PERIODS, type Period } from '../../../../pages/keys/form-values.ts'
import { CapFields, LimitFields } from '../../../../pages/keys/term-fields.tsx'
import { TextField } from '../../../../ui/form/field.tsx'
import { type Form, useForm } from '../../../../ui/form/form.ts'
import type { FormErrors } from '../../../../ui/form/form-errors.ts'
import { Section } from '../../../../ui/page.tsx'
import { Banner } from '../../../../ui/states.tsx'
import { rehearse } from '../../../api/client.ts'
import type { Body, DryRun } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { useWords } from '../../../i18n/use-words.ts'
import { useAct } from '../../../ui/act.tsx'
import { ActButton } from '../../../ui/act-button.tsx'
import { useOperateError } from '../../../ui/errors.ts'
import type { Permission } from '../../../ui/permissions.ts'
import type { Account } from '../account-state.tsx'

export function LimitsTab({ account }: { account: Account }) {
  return (
    <>
      <CapForm account={account} />
      <RateForm account={account} />
      <CreditLineForm account={account} />
    </>
  )
}

type Name = 'cap' | 'period' | (typeof LIMITS)[number]

/** Checked by a dry run, whose errors stand beside the fields, and saved as an act. */
function useLimitsForm(
  account: Account,
  body: Body<'PATCH', 'accounts/{account}/limits'>,
  check: () => FormErrors<Name>,
) {
  const messageOf = useOperateError()
  const act = useAct()
  const words = useWords()
  const change = { method: 'PATCH', path: 'accounts/{account}/limits', params: { account: account.id }, body } as const
  return useForm<Name, DryRun>({
    fields: [],
    check,
    send: () => rehearse(change),
    rejected: (error) => ({ [fieldOf(error.param)]: messageOf(error) }) as FormErrors<Name>,
    done: (rehearsed) => void act({ ...change, rehearsed, ...words('account limit', account.name) }),
  })
}

function CapForm({ account }: { account: Account }) {
  const t = useOperateTexts().accounts.limits
  const { keys } = useTexts()
  const [values, setValues] = useState({
    cap: account.cap_usd ?? '',
    period: account.cap_period ?? ('never' as Period),
  })
  const cap = values.cap.trim()
  const period = PERIODS.find((each) => each === values.period) ?? null
  const form = useLimitsForm(
    account,
    { cap_usd: cap === '' ? null : cap, cap_period: cap === '' ? null : period },
    () => (cap === '' || isAmount(cap) ? {} : { cap: keys.form.errors.cap }),
  )
  return (
    <Frame title={t.cap} text={t.capText} permission="money" form={form}>
      <CapFields
        values={values}
        set={(next) => setValues((former) => ({ ...former, ...next }))}
        errors={form.errors}
        hint={t.empty}
      />
    </Frame>
  )
}

function RateForm({ account }: { account: Account }) {
  const t = useOperateTexts().accounts.limits
  const { keys } = useTexts()
  const [values, setValues] = useState({
    rpm: account.limits.rpm?.toString() ?? '',
    tpm: account.limits.tpm?.toString() ?? '',
    concurrent: account.limits.concurrent?.toString() ?? '',
  })
  const limits = Object.fromEntries(
    LIMITS.map((name) => [name, values[name].trim() === '' ? null : Number(values[name].trim())]),
  )
  const form = useLimitsForm(
    account,
    { limits },
    () => limitErrorsIn(values, keys.form.errors.limit) as FormErrors<Name>,
  )
  return (
    <Frame title={t.rates} text={t.rateText} permission="accounts" form={form}>
      <LimitFields
        values={values}
        set={(next) => setValues((former) => ({ ...former, ...next }))}
        errors={form.errors}
        hint={t.empty}
      />
    </Frame>
  )
}

function CreditLineForm({ account }: { account: Account }) {
  const { accounts } = useOperateTexts()
  const t = accounts.limits
  const messageOf = useOperateError()
  const act = useAct()
  const words = useWords()
  const [line, setLine] = useState(account.credit_line_usd)
  const body = { credit_line_usd: line.trim() === '' ? '0' : line.trim() }
  const change = { method: 'PATCH', path: 'accounts/{account}', params: { account: account.id }, body } as const
  const form = useForm<'line', DryRun>({
    fields: ['line'],
    check: () => ({}),
    send: () => rehearse(change),
    rejected: (error) => ({ line: messageOf(error) }),
    done: (rehearsed) => void act({ ...change, rehearsed, ...words('account limit', account.name) }),
  })
  return (
    <Frame title={accounts.creditLine} text={t.creditLineText} permission="money" form={form}>
      <div className="max-w-60">
        <TextField
          hideLabel
          label={accounts.creditLine}
          autoComplete="off"
          value={line}
          onChange={setLine}
          hint={t.creditLineHint}
          error={form.errors.line}
        />
      </div>
    </Frame>
  )
}

type FrameProps<F extends string> = {
  title: string
  text: string
  permission: Permission
  form: Form<F>
  children: ReactNode
}

function Frame<F extends string>({ title, text, permission, form, children }: FrameProps<F>) {
  const words = useWords()
  const { form: error } = form.errors as FormErrors<never>
  return (
    <Section title={title} text={text}>
      <form noValidate onSubmit={form.submit} className="flex max-w-[640px] flex-col items-start gap-3">
        {error && <Banner tone="bad">{error}</Banner>}
        <div className="w-full">{children}</div>
        <ActButton permission={permission} type="submit" busy={form.isBusy}>
          {words('account limit').action}
        </ActButton>
      </form>
    </Section>
  )
}
