// What an account has and does, in figures that lead to their rows.

import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useTexts } from '../../../../i18n/language.tsx'
import { Spent } from '../../../../pages/keys/columns.tsx'
import { PeriodPresets, usePeriod } from '../../../../pages/usage/period-choice.tsx'
import { CopyText } from '../../../../ui/copy.tsx'
import { Facts, Section, Stat } from '../../../../ui/page.tsx'
import { EmptyRow } from '../../../../ui/states.tsx'
import { Table } from '../../../../ui/table.tsx'
import { Amount, Bar, isZero, Time, useNumber } from '../../../../ui/values.tsx'
import { LIVE, useAdmin } from '../../../api/queries.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { pathOf } from '../../../page-ids.ts'
import { SumsChart } from '../../../sums/chart.tsx'
import { useGroups, useTotals } from '../../../sums/sums.ts'
import { type MoneyColumn, SumsTable } from '../../../sums/table.tsx'
import { useOperatorColumns } from '../../requests/columns.tsx'
import type { Account } from '../account-state.tsx'

export function OverviewTab({ account }: { account: Account }) {
  const t = useOperateTexts().accounts
  const { keys } = useTexts()
  const number = useNumber()
  const base = `${pathOf('accounts')}/${account.id}`
  const to = (tab: string, content: ReactNode) => (
    <Link href={`${base}/${tab}`} className="hover:underline">
      {content}
    </Link>
  )
  const { limits, cap_usd, cap_period, cap_left_usd, people } = account
  const limited = ([['rpm'], ['tpm'], ['concurrent']] as const).flatMap(([name]) =>
    limits[name] === null ? [] : [`${keys.form[name]}: ${number(limits[name])}`],
  )
  return (
    <>
      <div className="mb-6 grid gap-3 wide:grid-cols-4">
        <Stat
          label={t.available}
          note={isZero(account.credit_line_usd) ? undefined : <CreditLine usd={account.credit_line_usd} />}
        >
          {to('ledger', <Amount rounded usd={account.available_usd} />)}
        </Stat>
        <Stat label={t.held} note={t.running(account.running_requests)}>
          <Link href={`${pathOf('requests')}?account=${account.id}&outcome=running`} className="hover:underline">
            <Amount rounded usd={account.held_usd} />
          </Link>
        </Stat>
        <Stat label={t.spent30} note={<Today usd={account.spent_today_usd} />}>
          {to('requests', <Amount rounded usd={account.spent_30_days_usd} />)}
        </Stat>
        <Stat label={t.keys} note={account.last_used_at ? <LastUsed at={account.last_used_at} /> : t.neverUsed}>
          {to('keys', number(account.active_keys))}
        </Stat>
      </div>
      <Spending account={account.id} />
      <Section title={t.facts}>
        <Facts
          items={[
            { label: t.idLabel, value: <CopyText text={account.id} label={t.idLabel} /> },
            {
              label: t.people,
              value:
                people.length === 0
                  ? t.noPeople
                  : to('people', people.map(({ email, role }) => `${email} (${t.roles[role]})`).join(', ')),
            },
            { label: t.balance, value: <Amount usd={account.balance_usd} /> },
            {
              label: keys.form.cap,
              value:
                cap_usd === null ? (
                  t.noCap
                ) : (
                  <>
                    <Amount usd={cap_usd} /> {cap_period ? keys.list.per[cap_period] : ''}, {t.left}{' '}
                    <Amount usd={cap_left_usd ?? '0'} />
                    <Bar share={1 - Number(cap_left_usd ?? 0) / Number(cap_usd)} label={t.left} />
                  </>
                ),
            },
            { label: keys.form.limits, value: limited.length === 0 ? t.noLimits : limited.join(', ') },
            { label: t.spentThisMonth, value: <Amount usd={account.spent_this_month_usd} /> },
            { label: t.created, value: <Time at={account.created_at} /> },
          ]}
        />
      </Section>
      <NearCaps account={account.id} />
      <LastErrors account={account.id} />
    </>
  )
}

const COLUMNS: MoneyColumn[] = ['charged', 'requests', 'tokens']

/** What it spent on which models in the last days. */
function Spending({ account }: { account: string }) {
  const t = useOperateTexts().accounts
  const period = usePeriod()
  const filter = { account }
  const { now } = useTotals(period, filter)
  const { rows } = useGroups(period, ['model'], filter, '-charged')
  const top = rows?.slice(0, 5)
  return (
    <Section title={t.spending} actions={<PeriodPresets period={period} />}>
      <SumsChart period={period} measure="spend" by="model" filter={filter} rows={top} />
      <div className="-mx-4 mt-4 -mb-4 border-t">
        <SumsTable
          label={t.spending}
          period={period}
          by={['model']}
          filter={filter}
          columns={COLUMNS}
          rows={top}
          total={now}
        />
      </div>
    </Section>
  )
}

/** Absent if there are none. */
function NearCaps({ account }: { account: string }) {
  const t = useOperateTexts().accounts
  const { data } = useAdmin('keys', { account, state: 'active', cap_used_percent: '90', limit: '5' }, { every: LIVE })
  if (!data || data.data.length === 0) return null
  return (
    <Section flush title={t.nearCaps}>
      <Table
        slim
        label={t.nearCaps}
        columns={[
          {
            id: 'key',
            label: t.key,
            cell: ({ id, name, last_four }) => (
              <Link href={`${pathOf('keys')}?key=${id}`} className="wrap-anywhere hover:underline">
                {name} <span className="text-muted">…{last_four}</span>
              </Link>
            ),
          },
          { id: 'cap', label: t.cap, cell: (row) => <Spent row={row} /> },
        ]}
        rows={data.data}
        rowKey={({ id }) => id}
      />
    </Section>
  )
}

function LastErrors({ account }: { account: string }) {
  const t = useOperateTexts().accounts
  const [, navigate] = useLocation()
  const columns = useOperatorColumns(['account', 'key'])
  const { data } = useAdmin('requests', { account, outcome: 'errors', limit: '5' }, { every: LIVE })
  return (
    <Section flush title={t.lastErrors}>
      <Table
        broad
        label={t.lastErrors}
        columns={columns}
        rows={data?.data}
        rowKey={({ id }) => id}
        expected={1}
        onOpen={({ id }) => navigate(`${pathOf('accounts')}/${account}/requests?request=${id}`)}
        empty={<EmptyRow>{t.noErrors}</EmptyRow>}
      />
    </Section>
  )
}

function CreditLine({ usd }: { usd: string }) {
  const t = useOperateTexts().accounts
  return (
    <>
      {t.creditLine} <Amount rounded usd={usd} />
    </>
  )
}

function Today({ usd }: { usd: string }) {
  const t = useOperateTexts().accounts
  return (
    <>
      {t.today} <Amount rounded usd={usd} />
    </>
  )
}

function LastUsed({ at }: { at: string }) {
  const t = useOperateTexts().accounts
  return (
    <>
      {t.lastUsed} <Time at={at} style="relative" />
    </>
  )
}
