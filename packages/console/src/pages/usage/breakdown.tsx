// What each model, or each key, had of the period: the answer to "what did I spend most on?", and the legend of the chart.

import { useState } from 'react'
import type { UsageBreakdown } from '../../api/types.ts'
import { OTHER_COLOUR } from '../../charts/colours.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { Amount, Bar, isZero, useNumber, usePercent } from '../../ui/values.tsx'
import { FILTERS, type Grouping } from './filters.ts'
import { meanUsd } from './series.ts'

const SHOWN_AT_FIRST = 5

const FURTHER = '\u0000further'
/** `name`: empty for the sum of the others. */
type Row = UsageBreakdown['items'][number]

type BreakdownProps = {
  by: Grouping
  data: UsageBreakdown | undefined
  /** The sum of the whole period, in USD. */
  total: string | undefined
  /** The colours of what has a series in the chart, by name. */
  colours: ReadonlyMap<string, string>
}

export function Breakdown({ by, data, total, colours }: BreakdownProps) {
  const t = useTexts().usage
  const [, setFilters] = useUrlState(FILTERS)
  const [isWhole, setWhole] = useState(false)
  const columns = useColumns(by, total, colours)
  const rows = data && [
    ...data.items,
    ...(data.others ? [{ name: '', label: t.others(data.others.names), is_further: false, ...data.others }] : []),
  ]
  const hidden = (rows?.length ?? 0) - SHOWN_AT_FIRST
  return (
    <>
      <Table
        label={t.breakdown[by]}
        columns={columns}
        rows={isWhole ? rows : rows?.slice(0, SHOWN_AT_FIRST)}
        rowKey={({ name, is_further: isFurther }) => (isFurther ? FURTHER : name)}
        expected={SHOWN_AT_FIRST}
        onOpen={({ name }) =>
          name !== '' &&
          setFilters({ [by]: name, before: '', ...(by === 'model' || by === 'key' ? {} : { by: 'model' }) })
        }
        empty={<p className="px-4 py-4 text-muted">{t.breakdown.empty}</p>}
      />
      {hidden > 0 && (
        <div className="border-t px-4 py-2">
          <Button small variant="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? t.breakdown.less : t.breakdown.more(hidden)}
          </Button>
        </div>
      )}
    </>
  )
}

function useColumns(by: Grouping, total: string | undefined, colours: ReadonlyMap<string, string>): Column<Row>[] {
  const t = useTexts().usage
  const number = useNumber()
  const percent = usePercent()
  const shareOf = (usd: string) => (total === undefined || isZero(total) ? 0 : Number(usd) / Number(total))
  return [
    {
      id: 'name',
      label: t.groupings[by],
      shrinks: true,
      cell: ({ name, label: written, is_further: isFurther }) => {
        const label = isFurther ? t.breakdown.further : written
        return (
          <span className="flex min-w-0 items-center gap-2">
            <span
              aria-hidden="true"
              className={`size-2.5 shrink-0 rounded-full bg-current ${colours.get(name) ?? OTHER_COLOUR}`}
            />
            <span
              title={isFurther ? t.breakdown.furtherText : label}
              className="min-w-0 cards:wrap-anywhere rows:truncate"
            >
              {label}
            </span>
          </span>
        )
      },
    },
    { id: 'spend', label: t.total.spend, align: 'right', cell: (row) => <Amount usd={row.cost_usd} /> },
    {
      id: 'share',
      label: t.breakdown.share,
      align: 'right',
      cell: ({ cost_usd: cost }) => (
        <span className="inline-flex w-20 flex-col gap-1 align-middle">
          {percent(shareOf(cost))}
          <Bar tone="accent" share={shareOf(cost)} label={percent(shareOf(cost))} />
        </span>
      ),
    },
    { id: 'requests', label: t.requests, align: 'right', cell: (row) => number(row.requests) },
    { id: 'tokens', label: t.tokens, align: 'right', cell: (row) => number(row.tokens) },
    {
      id: 'mean',
      label: t.breakdown.mean,
      align: 'right',
      cell: ({ cost_usd: cost, requests }) => (requests === 0 ? null : <Amount usd={meanUsd(cost, requests)} />),
    },
  ]
}
