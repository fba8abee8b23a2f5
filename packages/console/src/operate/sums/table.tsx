// Sums by group as a table. Every row links to its requests, and what the rows leave of the whole stands below them.

import type { ReactNode } from 'react'
import { Link, useLocation } from 'wouter'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
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
  isFurther,
  isTime,
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
  const money = useMoneyColumns(period, by, filter, rows)
  // A request counts for each of its tags: what is left of the whole says nothing.
  const others = rows && rows.length > 0 && total && !by.includes('tag') && othersOf(total, rows)
  const shown: Row[] | undefined = rows && [...rows, ...(others ? [{ ...others, id: 'others' as const }] : [])]
  return (
    <Table<Row>
      broad={columns.length + by.length > 5}
      columnsKept="sums"
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

const formatDay = (day: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${day}T00:00:00Z`))
const formatMonth = (month: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  )

type Texts = ReturnType<typeof useOperateTexts>['sums']

const groupColumn = (by: Dimension, index: number, t: Texts): Column<Row> => ({
  id: by,
  label: t.dimensions[by],
  ...(isTime(by) || by === 'outcome' ? {} : { shrinks: true }),
  cell: (row) => (isGroup(row) ? <Group row={row} by={by} /> : index === 0 ? t.others : null),
})

function Group({ row, by }: { row: Sums; by: Dimension }) {
  const t = useOperateTexts().sums
  const { locale } = useLanguage()
  if (isFurther(row, by)) return <span title={t.furtherText}>{t.further}</span>
  // Rows of the grouping before are shown until those of the new one are there.
  if (by === 'week') return row.week && t.weekOf(formatDay(row.week, locale))
  if (by === 'month') return row.month && formatMonth(row.month, locale)
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
  rows: readonly Sums[] | undefined,
): Readonly<Record<MoneyColumn, Column<Row>>> {
  const t = useOperateTexts().sums
  const { usage } = useTexts()
  const number = useNumber()
  const right = (id: MoneyColumn, label: string, drop: number, cell: (row: Row) => ReactNode): Column<Row> => ({
    id,
    label,
    align: 'right',
    drop,
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
    charged: { id: 'charged', label: t.charged, usd: (row) => row.charged_usd },
    cost: { id: 'cost', label: t.cost, usd: (row) => row.upstream_cost_usd ?? '0.00' },
    margin: {
      id: 'margin',
      label: rows?.some(({ unknown_costs: unknown = 0 }) => unknown > 0) ? t.marginAtMost : t.margin,
      usd: ({ margin_usd = '0.00' }) => margin_usd,
      cell: (row, amount) => <Margin figures={row} amount={amount} />,
    },
    unknown: right('unknown', t.unknown, 0, unknown),
    shortfall: {
      id: 'shortfall',
      label: t.shortfall,
      drop: 840,
      usd: ({ shortfall_usd: usd }) => (usd === undefined || isZero(usd) ? null : usd),
    },
    requests: right('requests', usage.requests, 680, (row) => number(row.requests)),
    tokens: right('tokens', usage.tokens, 780, (row) => number(row.tokens)),
  }
}

/**
 * The margin with its share of what was charged. A loss has a sign and a word beside its colour; with costs that are not known the margin is
 * at most this, and says so: as a headline in words, in a table by a mark that its head explains.
 */
export function Margin({ figures, amount }: { figures: Figures; amount?: ReactNode }) {
  const t = useOperateTexts().sums
  const number = useNumber()
  const { margin_usd: margin = '0.00', charged_usd: charged, unknown_costs: unknown = 0 } = figures
  const share = isZero(charged) ? undefined : Number(margin) / Number(charged)
  const percent = number(share ?? 0, { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 })
  const isLoss = margin.startsWith('-')
  const isBig = amount === undefined
  return (
    <span className={isLoss ? 'text-bad' : ''}>
      {unknown > 0 && (
        <span className={classes('text-muted', isBig && 'text-sm font-normal')}>
          {!isBig && <span aria-hidden="true">{'\u2264'}</span>}
          <span className={classes(!isBig && 'sr-only')}>{t.atMost}</span>{' '}
        </span>
      )}
      {amount ?? <Amount rounded usd={margin} />}
      <span className={isBig ? 'text-sm font-normal' : 'inline-block min-w-16'}>
        {share !== undefined && <span className="text-muted"> ({percent.replace('-', '\u2212')})</span>}
        {isLoss && <span className="font-medium"> {t.loss}</span>}
      </span>
    </span>
  )
}
