import { Link } from 'wouter'
import { urlOf } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import type { Statement } from '../../api/types.ts'
import { useSession } from '../../app/session.tsx'
import { useTexts } from '../../i18n/language.tsx'
import { ButtonAnchor } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { EmptyRow } from '../../ui/states.tsx'
import { List } from '../../ui/table/list.tsx'
import type { Column } from '../../ui/table.tsx'
import { Amount } from '../../ui/values.tsx'
import { useMonthName } from './statement/month-name.ts'

export function StatementsSection() {
  const t = useTexts().wallet.statements
  const { account } = useSession()
  const query = useRead('wallet/statements', {}, { every: 15_000 })
  const monthName = useMonthName()
  const nameOf = ({ month }: Statement) => monthName(month)
  const columns: Column<Statement>[] = [
    {
      id: 'month',
      label: t.month,
      cell: (row) => (
        <Link href={`/wallet/statements/${row.month}`} className="whitespace-nowrap text-link hover:underline">
          {nameOf(row)}
        </Link>
      ),
    },
    { id: 'credited', label: t.credited, align: 'right', cell: (row) => <Amount usd={row.credited_usd} /> },
    { id: 'spent', label: t.spent, align: 'right', cell: (row) => <Amount usd={row.spent_usd} /> },
    {
      id: 'download',
      label: t.download,
      control: 'button',
      align: 'right',
      cell: (row) => (
        <ButtonAnchor
          small
          icon="download"
          href={urlOf('console', 'wallet/statements/{month}', { month: `${row.month}.csv` })}
          download
        >
          CSV<span className="sr-only"> {t.statementOf(nameOf(row))}</span>
        </ButtonAnchor>
      ),
    },
  ]
  return (
    <Section flush title={t.title} text={t.text}>
      <List
        label={t.title}
        columns={columns}
        query={query}
        rowKey={(row) => row.month}
        expected={monthsSince(account.created_at)}
        empty={<EmptyRow>{t.empty}</EmptyRow>}
      />
    </Section>
  )
}

const MOST_EXPECTED = 24

/** About as many months have a statement. */
function monthsSince(created: string): number {
  const [from, to] = [new Date(created), new Date()]
  const years = to.getUTCFullYear() - from.getUTCFullYear()
  return Math.min(MOST_EXPECTED, 12 * years + to.getUTCMonth() - from.getUTCMonth() + 1)
}
