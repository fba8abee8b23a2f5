import type { RequestSummary } from '@trivium/gateway/console-api/routes/usage.ts'
import { Link } from 'wouter'
import { OutcomeBadge } from '../../../pages/usage/outcome.tsx'
import { useRequestColumns } from '../../../pages/usage/requests.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Amount } from '../../../ui/values.tsx'
import type { Output, Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS } from '../../links.ts'
import { useMay } from '../../ui/permissions.ts'

export type ListedRequest = Row<'requests'>
export type ShownRequest = Output<'GET', 'requests/{request}'>
export type ColumnId =
  | 'time'
  | 'account'
  | 'model'
  | 'key'
  | 'upstream'
  | 'tokens'
  | 'cost'
  | 'paid'
  | 'latency'
  | 'outcome'

/** Those that account holders see, and those of operators. `hidden`: what the page around says already, or has no room for. */
export function useOperatorColumns(hidden: readonly ColumnId[] = []): Column<ListedRequest>[] {
  const t = useOperateTexts().requests
  const may = useMay()
  const shared = useRequestColumns().map(
    (column): Column<ListedRequest> => ({ ...column, cell: (row) => column.cell(summaryOf(row)) }),
  )
  const own: Column<ListedRequest>[] = [
    {
      id: 'account',
      label: t.account,
      shrinks: true,
      least: 18,
      cell: (row) => <AccountLink id={row.account_id} name={row.account} />,
    },
    {
      id: 'upstream',
      label: t.upstream,
      shrinks: true,
      cell: (row) => <span title={row.upstream}>{row.upstream}</span>,
    },
    {
      id: 'paid',
      label: t.paid,
      align: 'right',
      cell: ({ outcome, upstream_cost_usd: paid }) =>
        outcome === 'running' || paid === undefined ? null : paid === null ? (
          t.unknown
        ) : (
          <Amount usd={paid} rounded={4} />
        ),
    },
    { id: 'outcome', label: t.outcome, cell: (row) => <Outcome row={row} /> },
  ]
  const all = new Map([...shared, ...own].map((column) => [column.id, column]))
  const order: ColumnId[] = [
    'time',
    'account',
    'model',
    'key',
    'upstream',
    'tokens',
    'cost',
    'paid',
    'latency',
    'outcome',
  ]
  return order
    .filter((id) => !hidden.includes(id) && (id !== 'paid' || may('see_costs')))
    .flatMap((id) => all.get(id) ?? [])
}

/** As account holders get it. */
const summaryOf = ({ id, key, key_id, timing, ...row }: ListedRequest): RequestSummary => ({
  ...row,
  ...timing,
  request_id: id,
  key_id,
  key_name: key ?? key_id,
})

export function AccountLink({ id, name }: { id: string; name: string | null }) {
  return (
    <Link href={LINKS.account(id)} title={name ?? id} className="hover:underline cards:wrap-anywhere">
      {name ?? id}
    </Link>
  )
}

/** With what the client got, if that was an error: in a row, when the pointer is over it. */
function Outcome({ row: { outcome, status, error_code: code } }: { row: ListedRequest }) {
  const got = code === null ? undefined : [status === 200 ? null : status, code].filter(Boolean).join(' ')
  return (
    <span title={got} className="inline-flex flex-wrap items-center gap-x-2 gap-y-1 cards:justify-end">
      <OutcomeBadge outcome={outcome} />
      {got && <span className="font-mono text-xs whitespace-nowrap text-muted rows:sr-only">{got}</span>}
    </span>
  )
}
