import { useRead } from '../../api/queries.ts'
import { coloursOf, OTHER_COLOUR } from '../../charts/colours.ts'
import { StackedBars } from '../../charts/stacked-bars.tsx'
import { useLanguage } from '../../i18n/language.tsx'
import { Segments } from '../../ui/form/choices.tsx'
import { Section, Stat } from '../../ui/page.tsx'
import { ErrorState, Skeleton } from '../../ui/states.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { Amount, Count, formatUsd, useNumber } from '../../ui/values.tsx'
import { Breakdown } from './breakdown.tsx'
import { FILTERS, GROUPINGS, type Grouping } from './filters.ts'
import { inDays, type Period } from './range.ts'
import { chartOf, type Measure, OTHER_SERIES, usdText } from './series.ts'
import { SetField } from './set-field.tsx'

/** Sums are kept by tag or by end user, not by both together. */
const CLEARED: Partial<Record<Grouping, Partial<typeof FILTERS>>> = { tag: { end_user: '' }, end_user: { tag: '' } }
const MEASURES: readonly Measure[] = ['spend', 'tokens', 'requests']

export function SpendSection({ period }: { period: Period }) {
  const { locale, texts } = useLanguage()
  const t = texts.usage
  const number = useNumber()
  const [filters, setFilters] = useUrlState(FILTERS)
  const { model, key, name } = filters
  const tag = filters.end_user === '' ? filters.tag : ''
  const { end_user } = filters
  const measure = MEASURES.find((each) => each === filters.measure) ?? 'spend'
  const grouped = GROUPINGS.find((each) => each === filters.by) ?? 'model'
  const isInDays = tag !== '' || end_user !== '' || grouped === 'tag' || grouped === 'end_user'
  const { from, to, step, steps } = isInDays ? inDays(period) : period
  const by = grouped === 'tag' && name !== '' ? `tag:${name}` : grouped
  const params = { from, to, step, by, model, key, tag, end_user }
  const { data, error, refetch } = useRead('usage', params, { every: 'live', keepPrevious: true })
  const { data: breakdown } = useRead('usage/breakdown', params, { every: 'live', keepPrevious: true })
  const show = (units: bigint) =>
    measure === 'spend' ? `${formatUsd(usdText(units), locale)} USD` : number(Number(units))
  const formatStep = (at: string) =>
    new Intl.DateTimeFormat(
      locale,
      step === 'hour' ? { hour: '2-digit', minute: '2-digit' } : { day: 'numeric', month: 'short', timeZone: 'UTC' },
    ).format(new Date(at))
  const chart = data && chartOf(data.points, steps, measure, show, t.other)
  const colours = coloursOf(chart?.series.map(({ name }) => name).filter((name) => name !== OTHER_SERIES) ?? [])
  const series = chart?.series.map((each) => ({ ...each, colour: colours.get(each.name) ?? OTHER_COLOUR })) ?? []
  return (
    <>
      <div className="mb-4 grid gap-4 wide:grid-cols-3">
        <Stat label={t.total.spend}>{data && <Amount rounded usd={data.total.cost_usd} />}</Stat>
        <Stat label={t.total.requests}>{data && <Count value={data.total.requests} />}</Stat>
        <Stat label={t.total.tokens}>{data && <Count value={data.total.tokens} />}</Stat>
      </div>
      <Section
        flush
        title={t[measure]}
        actions={
          <>
            <Segments
              label={t.measure}
              value={measure}
              onChange={(value) => setFilters({ measure: value })}
              options={MEASURES.map((value) => ({ value, label: t[value] }))}
            />
            <Segments
              label={t.by}
              value={grouped}
              onChange={(value) => setFilters({ by: value, ...(CLEARED[value] ?? {}) })}
              options={GROUPINGS.map((value) => ({ value, label: t.groupings[value] }))}
            />
          </>
        }
      >
        {error && !data ? (
          <ErrorState error={error} retry={refetch} />
        ) : (
          <>
            <div className="p-4">
              {chart ? (
                <StackedBars
                  label={t.chart(t[measure], t.title)}
                  steps={steps}
                  formatStep={formatStep}
                  series={series}
                  totals={chart.totals}
                />
              ) : (
                <Skeleton size="h-[228px] w-full" />
              )}
            </div>
            {isInDays && (
              <p className="px-4 pb-4 text-sm text-muted">
                {[t.inDays, ...(grouped === 'tag' ? [t.severalTags] : [])].join(' ')}
              </p>
            )}
            {grouped === 'tag' && (
              <div className="max-w-xs px-4 pb-4">
                <SetField label={t.filters.tagName} hint={t.filters.tagNameHint} name="name" />
              </div>
            )}
            <div className="border-t">
              <Breakdown by={grouped} data={chart && breakdown} total={data?.total.cost_usd} colours={colours} />
            </div>
          </>
        )}
      </Section>
    </>
  )
}
