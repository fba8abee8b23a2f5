// Sums over time, stacked by the largest groups of one dimension; what they leave of the whole is one more series.

import { coloursOf, OTHER_COLOUR } from '../../charts/colours.ts'
import { StackedBars } from '../../charts/stacked-bars.tsx'
import { useLanguage } from '../../i18n/language.tsx'
import type { Period } from '../../pages/usage/range.ts'
import { chartOf, type Measure, nanosOf, OTHER_SERIES, usdText } from '../../pages/usage/series.ts'
import { Skeleton } from '../../ui/states.tsx'
import { formatUsd, useNumber } from '../../ui/values.tsx'
import { useOperateTexts } from '../i18n/use-texts.tsx'
import { type Dimension, isFurther, isTime, labelOf, nameIn, type Sums, type SumsFilter, useSteps } from './sums.ts'

type ChartProps = {
  period: Period
  measure: Measure
  by: Dimension
  filter: SumsFilter
  /** The largest groups of `by` first. undefined: not known yet. */
  rows: readonly Sums[] | undefined
}

type Point = Parameters<typeof chartOf>[0][number]

/** Beginnings as the chart has them: days begin at 00:00 UTC. */
const timeOf = ({ day, hour }: Sums): string => hour ?? new Date(`${day}T00:00:00Z`).toISOString()

const pointOf = (row: Sums, name: string, label: string): Point => ({
  at: timeOf(row),
  name,
  label,
  requests: row.requests,
  tokens: row.tokens,
  cost_usd: row.charged_usd,
})

export function SumsChart({ period, measure, by, filter, rows }: ChartProps) {
  const { texts, locale } = useLanguage()
  const t = useOperateTexts().sums
  const number = useNumber()
  const { data } = useSteps(period, filter)
  // People cannot be filtered by.
  const names =
    isTime(by) || by === 'person'
      ? []
      : (rows ?? [])
          .filter((row) => !isFurther(row, by))
          .map((row) => ({ name: nameIn(row, by), label: labelOf(row, by) }))
  // As many as a chart shows by name.
  const [a, b, c, d, e] = names
  const named = [
    useNamed(period, by, filter, a),
    useNamed(period, by, filter, b),
    useNamed(period, by, filter, c),
    useNamed(period, by, filter, d),
    useNamed(period, by, filter, e),
  ]
  const isLoading = !data || rows === undefined || named.includes(undefined)
  if (isLoading) return <Skeleton size="h-[228px] w-full" />
  const points = named.flatMap((each) => each ?? [])
  const all = data.data.map((row) => pointOf(row, '', t.everything))
  const show = (units: bigint) =>
    measure === 'spend' ? `${formatUsd(usdText(units), locale)} USD` : number(Number(units))
  const chart = chartOf(
    // A request counts for each of its tags, so that nothing is left of the whole that could be named.
    points.length === 0 ? all : by === 'tag' ? points : [...points, ...restOf(all, points)],
    period.steps,
    measure,
    show,
    points.length === 0 ? t.everything : texts.usage.other,
  )
  const colours = coloursOf(chart.series.map(({ name }) => name).filter((name) => name !== OTHER_SERIES))
  return (
    <StackedBars
      label={texts.usage.chart(texts.usage[measure], texts.usage.title)}
      steps={period.steps}
      formatStep={stepFormat(period, locale)}
      series={chart.series.map((each) => ({ ...each, colour: colours.get(each.name) ?? OTHER_COLOUR }))}
      totals={chart.totals}
    />
  )
}

export const stepFormat = ({ step }: Period, locale: string): ((at: string) => string) => {
  const style =
    step === 'hour'
      ? ({ hour: '2-digit', minute: '2-digit' } as const)
      : ({ day: 'numeric', month: 'short', timeZone: 'UTC' } as const)
  return (at) => new Intl.DateTimeFormat(locale, style).format(new Date(at))
}

/** Empty: there is no such group. undefined: not known yet. */
function useNamed(
  period: Period,
  by: Dimension,
  filter: SumsFilter,
  group: { name: string; label: string } | undefined,
): Point[] | undefined {
  const { data } = useSteps(period, { ...filter, ...(group ? { [by]: group.name } : {}) }, group !== undefined)
  return group ? data?.data.map((row) => pointOf(row, `${by}/${group.name}`, group.label)) : []
}

/** The whole less what has a name, by step. */
function restOf(all: readonly Point[], points: readonly Point[]): Point[] {
  return all.flatMap((whole) => {
    const named = points.filter(({ at }) => Date.parse(at) === Date.parse(whole.at))
    const requests = named.reduce((left, point) => left - point.requests, whole.requests)
    const tokens = named.reduce((left, point) => left - point.tokens, whole.tokens)
    const nanos = named.reduce((left, point) => left - nanosOf(point.cost_usd), nanosOf(whole.cost_usd))
    return requests > 0 || nanos > 0n ? [{ ...whole, requests, tokens, cost_usd: usdText(nanos) }] : []
  })
}
