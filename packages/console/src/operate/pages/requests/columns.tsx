import { Link } from 'wouter'
import type { RequestSummary } from '../../../api/types.ts'
import { OutcomeBadge } from '../../../pages/usage/outcome.tsx'
import { NEVER, useRequestColumns } from '../../../pages/usage/requests.tsx'
import type { Column } from '../../../ui/table.tsx'
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
  | 'tags'
  | 'end_user'
  | 'session'
  | 'outcome'

/** In the order of the table, with the width from which each is shown; others are chosen in the menu. */
const FROM: Readonly<Record<ColumnId, number>> = {
  time: 0,
  account: 0,
  model: 0,
  key: 1_320,
  upstream: 840,
  tokens: 1_080,
  cost: 0,
  paid: 1_440,
  latency: 960,
  tags: 1_800,
  end_user: NEVER,
  session: NEVER,
  outcome: 0,
}

/** Those that account holders see, and those of operators. `hidden`: what the page around says already. */
export function useOperatorColumns(hidden: readonly ColumnId[] = []): Column<ListedRequest>[] {
  const t = useOperateTexts().requests
  const may = useMay()
  const shared = useRequestColumns().map(
    ({ usd, cell, ...column }): Column<ListedRequest> => ({
      ...column,
      ...(usd ? { usd: (row) => usd(summaryOf(row)) } : {}),
      ...(cell ? { cell: (row, amount) => cell(summaryOf(row), amount) } : {}),
    }),
  )
  const own: Column<ListedRequest>[] = [
    {
      id: 'account',
      label: t.account,
      shrinks: true,
      least: 18,
      line: 1,
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
      usd: ({ outcome, upstream_cost_usd: paid }) => (outcome === 'running' ? null : paid),
      cell: ({ outcome, upstream_cost_usd: paid }, amount) =>
        paid === null && outcome !== 'running' ? t.unknown : amount,
    },
    { id: 'outcome', label: t.outcome, line: 2, cell: (row) => <Outcome row={row} /> },
  ]
  const all = new Map([...shared, ...own].map((column) => [column.id, column]))
  return (Object.keys(FROM) as ColumnId[])
    .filter((id) => !hidden.includes(id) && (id !== 'paid' || may('see_costs')))
    .flatMap((id) => {
      const column = all.get(id)
      return column ? [{ ...column, drop: FROM[id] }] : []
    })
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
    <span title={got}>
      <OutcomeBadge outcome={outcome} />
      {got && <span className="sr-only">{got}</span>}
    </span>
  )
}
