import { Link } from 'wouter'
import type { Wallet } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Section } from '../../ui/page.tsx'
import { EmptyRow } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Amount, Time } from '../../ui/values.tsx'

type OpenRequest = Wallet['open'][number]

export function OpenRequestsSection({ open }: { open: readonly OpenRequest[] | undefined }) {
  const t = useTexts().wallet.open
  const columns: Column<OpenRequest>[] = [
    {
      id: 'model',
      label: t.model,
      cell: (row) => (
        <Link href={`/usage?request=${row.request_id}`} className="break-all text-link hover:underline">
          {row.model}
        </Link>
      ),
    },
    { id: 'key', label: t.key, cell: (row) => <span className="break-words">{row.key_name}</span> },
    { id: 'started', label: t.started, cell: (row) => <Time at={row.at} style="relative" /> },
    { id: 'held', label: t.amount, align: 'right', cell: (row) => <Amount usd={row.held_usd} /> },
  ]
  return (
    <Section flush title={t.title} text={t.text}>
      <Table
        label={t.title}
        columns={columns}
        rows={open}
        rowKey={(row) => row.request_id}
        expected={1}
        empty={<EmptyRow>{t.empty}</EmptyRow>}
      />
    </Section>
  )
}
