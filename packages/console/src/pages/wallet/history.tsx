import { Link } from 'wouter'
import { useRead } from '../../api/queries.ts'
import type { WalletEntry } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Section } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { List } from '../../ui/table/list.tsx'
import { usePageCursor } from '../../ui/table/pagination.tsx'
import type { Column } from '../../ui/table.tsx'
import { Amount, Time, useNumber } from '../../ui/values.tsx'

export function HistorySection() {
  const t = useTexts().wallet.history
  const before = usePageCursor()
  const query = useRead('wallet/history', { before }, { every: 'live', keepPrevious: true })
  const columns: Column<WalletEntry>[] = [
    { id: 'at', label: t.at, cell: (row) => <Time at={row.at} style={row.kind === 'usage' ? 'utcDay' : 'both'} /> },
    { id: 'what', label: t.what, cell: (row) => <What entry={row} /> },
    { id: 'amount', label: t.amount, align: 'right', cell: (row) => <Amount usd={row.amount_usd} sign /> },
    { id: 'balance', label: t.balance, align: 'right', cell: (row) => <Amount usd={row.balance_after_usd} /> },
  ]
  return (
    <Section flush title={t.title} text={t.text}>
      <List
        label={t.title}
        columns={columns}
        query={query}
        cursor="before"
        rowKey={(row) => `${row.at} ${row.kind} ${row.balance_after_usd}`}
        empty={<EmptyState title={t.empty} />}
      />
    </Section>
  )
}

function What({ entry }: { entry: WalletEntry }) {
  const t = useTexts().wallet.history
  const number = useNumber()
  if (entry.kind !== 'usage')
    return <span className="break-words">{t.reasons[entry.reason] ?? (entry.reason || t[entry.kind])}</span>
  const day = entry.at.slice(0, 10)
  return (
    <Link href={`/usage?from=${day}&to=${day}`} className="text-link hover:underline">
      {t.usage(number(entry.requests), entry.requests)}
    </Link>
  )
}
