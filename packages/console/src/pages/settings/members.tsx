// The people of the account, and the caps of its members. An owner sets them; a member sees the own one.
import { useQueryClient } from '@tanstack/react-query'
import type { MemberRow } from '@trivium/gateway/console-api/routes/account.ts'
import { useId, useState } from 'react'
import { post } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { useFormGuard } from '../../app/leave-guard.tsx'
import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/form.ts'
import { Section } from '../../ui/page.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Amount } from '../../ui/values.tsx'
import { PERIODS, type Period } from '../keys/form-values.ts'

export function MembersSection() {
  const t = useTexts().settings.members
  const { account } = useSession()
  const { data: members, error, refetch } = useRead('members')
  const [subject, setSubject] = useState<MemberRow | undefined>()
  const isOwner = account.role === 'owner'
  return (
    <Section title={t.title} text={isOwner ? t.text : t.ownText}>
      {members ? (
        <ul className="divide-y rounded-md border">
          {members.map((member) => (
            <li key={member.email} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2">
              <div className="min-w-0 grow">
                <div className="break-all">{member.email}</div>
                <div className="text-sm text-muted">
                  {t.roles[member.role]}
                  {' \u00b7 '}
                  <Cap member={member} />
                </div>
              </div>
              {isOwner && !account.disabled && member.role === 'member' && (
                <Button small aria-label={t.changeOf(member.email)} onClick={() => setSubject(member)}>
                  {t.change}
                </Button>
              )}
            </li>
          ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <Skeleton size="h-16 w-full" />
      )}
      {subject && <CapDialog member={subject} onClose={() => setSubject(undefined)} />}
    </Section>
  )
}

function Cap({ member: { cap_usd, cap_period, cap_left_usd } }: { member: MemberRow }) {
  const { settings, keys } = useTexts()
  if (cap_usd === null || cap_period === null || cap_left_usd === null) return settings.members.noCap
  return (
    <>
      {settings.members.cap} <Amount usd={cap_usd} /> ({keys.form.periods[cap_period]}), {settings.members.left}{' '}
      <Amount usd={cap_left_usd} />
    </>
  )
}

function CapDialog({ member, onClose }: { member: MemberRow; onClose(): void }) {
  const { settings, keys, common } = useTexts()
  const t = settings.members
  const id = useId()
  const client = useQueryClient()
  const toast = useToast()
  const initial = { cap: member.cap_usd ?? '', period: member.cap_period ?? ('month' as const) }
  const [cap, setCap] = useState(initial.cap)
  const [period, setPeriod] = useState<Exclude<Period, 'never'>>(initial.period)
  const close = useFormGuard(cap !== initial.cap || period !== initial.period, onClose)
  const { errors, isBusy, submit } = useForm({
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
    <Dialog
      open
      onClose={close}
      title={t.changeOf(member.email)}
      footer={
        <>
          <Button onClick={close}>{common.cancel}</Button>
          <Button type="submit" form={id} variant="primary" busy={isBusy}>
            {common.save}
          </Button>
        </>
      }
    >
      <form id={id} noValidate onSubmit={submit} className="flex flex-col gap-4">
        {errors.form && <Banner tone="bad">{errors.form}</Banner>}
        <TextField
          label={keys.form.cap}
          optional
          inputMode="decimal"
          autoComplete="off"
          value={cap}
          onChange={setCap}
          hint={t.capHint}
          error={errors.cap_usd}
        />
        <SelectField
          label={keys.form.period}
          value={period}
          onChange={(next) => setPeriod(next as Exclude<Period, 'never'>)}
          options={PERIODS.map((each) => ({ value: each, label: keys.form.periods[each] }))}
        />
      </form>
    </Dialog>
  )
}
