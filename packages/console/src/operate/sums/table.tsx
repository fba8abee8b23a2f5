// Sums by group as a table. Every row links to its requests, and what the rows leave of the whole stands below them.

import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useTexts } from '../../i18n/language.tsx'
import { OutcomeBadge } from '../../pages/usage/outcome.tsx'
import type { Period } from '../../pages/usage/range.ts'
import { classes } from '../../ui/classes.ts'
import { EmptyState } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Amount, isZero, Time, useNumber } from '../../ui/values.tsx'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import {
  type Dimension,
  type Figures,
  hrefOf,
  labelOf,
  othersOf,
  requestsHref,
  rowFilter,
  type Sums,
  type SumsFilter,
} from './sums.ts'

/** `others`: the sum of what is not listed. */
type Row = Sums | (Figures & { id: 'others' })
const isGroup = (row: Row): row is Sums => row.id !== 'others'

export type MoneyColumn = 'charged' | 'cost' | 'margin' | 'unknown' | 'shortfall' | 'requests' | 'tokens'

type TableProps = {
  label: string
  period: Period
  by: readonly Dimension[]
  filter: SumsFilter
  columns: readonly MoneyColumn[]
  rows: readonly Sums[] | undefined
  total: Figures | undefined
}

export function SumsTable({ label, period, by, filter, columns, rows, total }: TableProps) {
  const t = useOperateTexts().sums
  const [, navigate] = useLocation()
  const money = useMoneyColumns(period, by, filter)
  const others = rows && rows.length > 0 && total && othersOf(total, rows)
  const shown: Row[] | undefined = rows && [...rows, ...(others ? [{ ...others, id: 'others' as const }] : [])]
  return (
    <Table<Row>
      broad={columns.length + by.length > 5}
      label={label}
      columns={[
        ...by.map((dimension, index) => groupColumn(dimension, index, t)),
        ...columns.map((name) => money[name]),
      ]}
      rows={shown}
      rowKey={({ id }) => id}
      expected={8}
      onOpen={(row) => {
        const href = isGroup(row) ? hrefOf(row, by, filter, period) : undefined
        if (href !== undefined) navigate(href)
      }}
      empty={<EmptyState title={t.empty}>{t.emptyText}</EmptyState>}
    />
  )
}

type Texts = ReturnType<typeof useOperateTexts>['sums']

const groupColumn = (by: Dimension, index: number, t: Texts): Column<Row> => ({
  id: by,
  label: t.dimensions[by],
  ...(by === 'day' || by === 'outcome' ? {} : { shrinks: true }),
  cell: (row) => (isGroup(row) ? <Group row={row} by={by} /> : index === 0 ? t.others : null),
})

function Group({ row, by }: { row: Sums; by: Dimension }) {
  if (by === 'day') return <Time at={`${row.day}T00:00:00Z`} style="utcDay" />
  if (by === 'outcome') return <OutcomeBadge outcome={row.outcome ?? ''} />
  const label = labelOf(row, by)
  return (
    <span title={label} className="block min-w-0 cards:wrap-anywhere rows:truncate">
      {label}
    </span>
  )
}

function useMoneyColumns(
  period: Period,
  by: readonly Dimension[],
  filter: SumsFilter,
): Readonly<Record<MoneyColumn, Column<Row>>> {
  const t = useOperateTexts().sums
  const { usage } = useTexts()
  const number = useNumber()
  const right = (id: MoneyColumn, label: string, cell: (row: Row) => ReactNode): Column<Row> => ({
    id,
    label,
    align: 'right',
    cell,
  })
  const unknown = (row: Row) => {
    if (!row.unknown_costs) return null
    const count = number(row.unknown_costs)
    if (!isGroup(row)) return count
    const href = requestsHref(period, { ...filter, ...rowFilter(row, by, period), unknown_cost: 'true' })
    return (
      <Link href={href} className="underline" title={t.unknownLink}>
        {count}
      </Link>
    )
  }
  return {
    charged: right('charged', t.charged, (row) => <Amount usd={row.charged_usd} />),
    cost: right('cost', t.cost, (row) => <Amount usd={row.upstream_cost_usd ?? '0.00'} />),
    margin: right('margin', t.margin, (row) => <Margin figures={row} />),
    unknown: right('unknown', t.unknown, unknown),
    shortfall: right('shortfall', t.shortfall, (row) =>
      isZero(row.shortfall_usd) ? null : <Amount usd={row.shortfall_usd} />,
    ),
    requests: right('requests', usage.requests, (row) => number(row.requests)),
    tokens: right('tokens', usage.tokens, (row) => number(row.tokens)),
  }
}

/**
 * The margin with its share of what was charged. A loss has a sign and a word beside its colour; with costs that are not known the margin is
 * at most this, and says so.
 */
export function Margin({ figures, big = false }: { figures: Figures; big?: boolean }) {
  const t = useOperateTexts().sums
  const number = useNumber()
  const { margin_usd: margin = '0.00', charged_usd: charged, unknown_costs: unknown = 0 } = figures
  const share = isZero(charged) ? undefined : Number(margin) / Number(charged)
  const percent = (value: number) =>
    number(value, { style: 'percent', maximumFractionDigits: 1 }).replace('-', '\u2212')
  const isLoss = margin.startsWith('-')
  return (
    <span className={isLoss ? 'text-bad' : ''}>
      {unknown > 0 && <span className={classes('text-muted', big && 'text-sm font-normal')}>{t.atMost} </span>}
      <Amount rounded={big} usd={margin} />
      <span className={big ? 'text-sm font-normal' : ''}>
        {share !== undefined && <span className="text-muted"> ({percent(share)})</span>}
        {isLoss && <span className="font-medium"> {t.loss}</span>}
      </span>
    </span>
  )
}
