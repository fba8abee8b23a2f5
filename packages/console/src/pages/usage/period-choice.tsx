// The choice of the period: presets, or two days.

import { useEffect, useMemo, useState } from 'react'
import { useTexts } from '../../i18n/language.tsx'
import { Segments } from '../../ui/form/choices.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { FILTERS } from './filters.ts'
import { daysOf, isPeriod, MOST_DAYS, type Period, periodOf, RANGES } from './range.ts'

const MINUTE_MS = 60_000

/** The period of the URL. It moves on with the clock, but not with every rendering. */
export function usePeriod(): Period {
  const [{ range, from, to }] = useUrlState(FILTERS)
  const [now] = useState(Date.now)
  const minute = Math.floor(Math.max(now, Date.now()) / MINUTE_MS)
  return useMemo(() => periodOf(range, from, to, minute * MINUTE_MS), [range, from, to, minute])
}

type Defaults = Pick<typeof FILTERS, 'range' | 'from' | 'to' | 'before' | 'after'>
/** The cursors of both kinds of lists. */
const FIRST_PAGE = { before: '', after: '' }

/** `defaults`: what the page shows at first. */
export function PeriodPresets({ period, defaults = FILTERS }: { period: Period; defaults?: Defaults }) {
  const t = useTexts().usage
  const [{ range, from, to }, setFilters] = useUrlState(defaults)
  const value = isPeriod(from, to) ? 'custom' : (RANGES.find((each) => each === range) ?? '7d')
  return (
    <Segments
      label={t.range}
      value={value}
      onChange={(chosen) =>
        setFilters(
          chosen === 'custom'
            ? { ...daysOf(period), ...FIRST_PAGE }
            : { range: chosen, from: '', to: '', ...FIRST_PAGE },
        )
      }
      options={[...RANGES, 'custom' as const].map((each) => ({ value: each, label: t.ranges[each] }))}
    />
  )
}

/** Both days of a chosen period. They count from the moment in which both make sense. */
export function ChosenDays() {
  const [{ from, to }] = useUrlState(FILTERS)
  return isPeriod(from, to) ? <DayFields from={from} to={to} /> : null
}

type Days = { from: string; to: string }

function DayFields({ from, to }: Days) {
  const t = useTexts().usage.days
  const [, setFilters] = useUrlState(FILTERS)
  const [typed, setTyped] = useState<Days>({ from, to })
  useEffect(() => setTyped({ from, to }), [from, to])
  const isWrong = !isPeriod(typed.from, typed.to)
  const change = (changed: Partial<Days>) => {
    const next = { ...typed, ...changed }
    setTyped(next)
    if (isPeriod(next.from, next.to)) setFilters({ ...next, ...FIRST_PAGE })
  }
  return (
    <>
      <TextField
        type="date"
        label={t.from}
        value={typed.from}
        max={typed.to}
        onChange={(from) => change({ from })}
        error={isWrong ? t.wrong(MOST_DAYS) : undefined}
      />
      <TextField type="date" label={t.to} value={typed.to} min={typed.from} onChange={(to) => change({ to })} />
    </>
  )
}
