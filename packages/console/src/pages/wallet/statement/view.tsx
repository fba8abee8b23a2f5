// A statement of a month as it is read and printed: what it begins and ends with, and what lies between. For holders and operators.
import type { ReactNode } from 'react'
import { useLanguage } from '../../../i18n/language.tsx'
import { Facts, Section } from '../../../ui/page.tsx'
import { EmptyRow } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Amount, Count, Time } from '../../../ui/values.tsx'

type Charged = { requests: number; tokens: number; charged_usd: string }
/** What both APIs say of it. */
export type StatementShown = {
  account: string
  month: string
  is_complete: boolean
  opening_balance_usd: string
  credited_usd: string
  refunded_usd: string
  debited_usd: string
  charged_usd: string
  closing_balance_usd: string
  models: readonly ({ model: string | null } & Charged)[]
  keys: readonly ({
    key_id: string | null
    key: string | null
    last_four: string | null
    member: string | null
  } & Charged)[]
  members: readonly ({ member: string | null } & Charged)[]
  days: readonly { day: string; requests: number; charged_usd: string }[]
  entries: readonly { kind: string; at: string; reason: string; amount_usd: string; balance_after_usd: string }[]
}

export function StatementView({ statement }: { statement: StatementShown }) {
  const { wallet } = useLanguage().texts
  const t = wallet.statements
  const { models, keys, members, days, entries } = statement
  const credits = entries.filter(({ kind }) => kind !== 'usage')
  const amount = (usd: string): ReactNode => <Amount usd={usd} />
  return (
    <>
      <Section title={t.sums} text={!statement.is_complete && t.notOver}>
        <Facts
          items={[
            { label: t.account, value: <span className="wrap-anywhere">{statement.account}</span> },
            { label: t.opening, value: amount(statement.opening_balance_usd) },
            { label: t.credits, value: amount(statement.credited_usd) },
            { label: t.refunds, value: amount(statement.refunded_usd) },
            { label: t.debits, value: amount(statement.debited_usd) },
            { label: t.charges, value: amount(statement.charged_usd) },
            { label: t.closing, value: amount(statement.closing_balance_usd) },
          ]}
        />
      </Section>
      <Charges title={t.byModel} label={t.model} rows={models} name={({ model }) => model ?? t.others} />
      <Charges
        title={t.byKey}
        label={t.key}
        rows={keys}
        name={({ key_id, key, last_four: end }) =>
          key_id === null ? t.others : `${key ?? key_id}${end ? ` ...${end}` : ''}`
        }
      />
      {members.length > 1 && (
        <Charges title={t.byMember} label={t.member} rows={members} name={({ member }) => member ?? t.noMember} />
      )}
      <Charges
        title={t.byDay}
        label={t.day}
        rows={days}
        name={({ day }) => <Time at={`${day}T00:00:00Z`} style="utcDay" />}
      />
      <Section flush title={t.creditsAndDebits}>
        <Table
          label={t.creditsAndDebits}
          columns={[
            { id: 'at', label: wallet.history.at, cell: ({ at }) => <Time at={at} /> },
            {
              id: 'what',
              label: wallet.history.what,
              cell: ({ reason, kind }) =>
                wallet.history.reasons[reason] ??
                (reason || (kind === 'debit' ? wallet.history.debit : wallet.history.credit)),
            },
            {
              id: 'amount',
              label: wallet.history.amount,
              align: 'right',
              usd: ({ amount_usd }) => amount_usd,
              isSigned: true,
            },
            { id: 'after', label: wallet.history.balance, align: 'right', usd: (row) => row.balance_after_usd },
          ]}
          rows={credits}
          rowKey={(row) => `${row.at} ${row.amount_usd} ${row.balance_after_usd}`}
          empty={<EmptyRow>{t.noCredits}</EmptyRow>}
        />
      </Section>
    </>
  )
}

function Charges<R extends Omit<Charged, 'tokens'>>(props: {
  title: string
  /** The head of the names. */
  label: string
  rows: readonly R[]
  name(row: R): ReactNode
}) {
  const { texts } = useLanguage()
  const t = texts.wallet.statements
  const { title, label, rows, name } = props
  const columns: Column<R>[] = [
    { id: 'name', label, cell: (row) => <span className="wrap-anywhere">{name(row)}</span> },
    { id: 'requests', label: t.requests, align: 'right', cell: ({ requests }) => <Count value={requests} /> },
    { id: 'charged', label: t.charges, align: 'right', usd: ({ charged_usd }) => charged_usd },
  ]
  return (
    <Section flush title={title}>
      <Table
        slim
        label={title}
        columns={columns}
        rows={rows}
        rowKey={(row) => String(rows.indexOf(row))}
        empty={<EmptyRow>{t.noCharges}</EmptyRow>}
      />
    </Section>
  )
}
