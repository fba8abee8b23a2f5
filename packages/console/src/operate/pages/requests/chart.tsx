import { StackedBars } from '../../../charts/stacked-bars.tsx'
import { useLanguage } from '../../../i18n/language.tsx'
import type { Period } from '../../../pages/usage/range.ts'
import { ErrorState, Skeleton } from '../../../ui/states.tsx'
import { useNumber } from '../../../ui/values.tsx'
import { LIVE, useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { CLASS_COLOURS, classOf, type OutcomeClass } from '../../sums/outcomes.ts'
import type { RequestFilters } from './filters.ts'

const MOST_ROWS = '1000'
/** Bars that may still grow. */
const RECENT = 2

/** Those with a receipt; what was rejected has none. */
const CLASSES = ['delivered', 'ended', 'failed'] as const

type Props = { filters: RequestFilters; period: Period; onOpen(step: string): void }

/** How requests ended over time, from sums: they know nothing of error codes, statuses and ids. */
export function OutcomeChart({ filters, period, onOpen }: Props) {
  const { locale } = useLanguage()
  const texts = useOperateTexts()
  const t = texts.requests.chart
  const { classes } = texts.sums
  const number = useNumber()
  const { account, key, model, upstream, outcome } = filters
  const { from, to, step, steps } = period
  const params = { group_by: `outcome,${step}`, account, key, model, upstream, limit: MOST_ROWS }
  // What is over stays as it is: only the newest bars, of which there are few rows, are read again.
  const middle = steps.at(-RECENT) ?? from
  const past = useAdmin(
    'usage',
    { ...params, from, to: middle },
    { enabled: middle > from, keepPrevious: true, staleTime: Number.POSITIVE_INFINITY },
  )
  const recent = useAdmin('usage', { ...params, from: middle, to }, { every: LIVE, keepPrevious: true })
  const [error] = [past.error, recent.error].filter((each) => each !== null)
  const retry = () => void Promise.all([past.refetch(), recent.refetch()])
  const isComplete = recent.data && (past.data || middle === from)
  if (error && !isComplete) return <ErrorState error={error} retry={retry} />
  if (!recent.data || !isComplete) return <Skeleton size="h-[228px] w-full" />
  const rows = [...(middle > from ? (past.data?.data ?? []) : []), ...recent.data.data]
  const counts = new Map<OutcomeClass, number[]>(CLASSES.map((name) => [name, steps.map(() => 0)]))
  const indexOf = new Map(steps.map((each, index) => [Date.parse(each), index]))
  for (const row of rows) {
    const at = indexOf.get(Date.parse(row.hour ?? row.day ?? ''))
    const name = classOf(row.outcome ?? '')
    const isWanted = outcome === '' || outcome === row.outcome || (outcome === 'errors' && name === 'failed')
    const values = counts.get(name)
    if (at !== undefined && values && isWanted) values[at] = (values[at] ?? 0) + row.requests
  }
  const series = CLASSES.map((name) => {
    const values = counts.get(name) ?? []
    return {
      name,
      label: classes[name],
      colour: CLASS_COLOURS[name],
      values,
      shown: values.map((each) => number(each)),
    }
  })
  const totals = steps.map((_, at) => number(series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)))
  const formatStep = (at: string) =>
    new Intl.DateTimeFormat(
      locale,
      step === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short', timeZone: 'UTC' },
    ).format(new Date(at))
  return (
    <StackedBars
      label={t.label}
      steps={steps}
      formatStep={formatStep}
      series={series}
      totals={totals}
      onOpen={onOpen}
    />
  )
}
