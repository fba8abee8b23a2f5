import { Link } from 'wouter'
import { OTHER_COLOUR } from '../../../charts/colours.ts'
import { StackedBars } from '../../../charts/stacked-bars.tsx'
import { useLanguage } from '../../../i18n/language.tsx'
import { ChosenDays, PeriodPresets, usePeriod } from '../../../pages/usage/period-choice.tsx'
import type { Period } from '../../../pages/usage/range.ts'
import { Segments } from '../../../ui/form/choices.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { Banner, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { formatUsd, useNumber } from '../../../ui/values.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { pathOf } from '../../page-ids.ts'
import { stepFormat } from '../../sums/chart.tsx'
import { MOST_ROWS, requestsHref, type Sums, useGroups, useSteps, useTotals } from '../../sums/sums.ts'
import { Margin, type MoneyColumn, SumsTable } from '../../sums/table.tsx'
import { type Figure, Totals } from '../../sums/totals.tsx'
import { CsvLink } from '../../ui/list.tsx'

const BY = ['day', 'model', 'upstream', 'account'] as const
const DEFAULTS = { by: 'day' }
const COLUMNS: MoneyColumn[] = ['charged', 'cost', 'margin', 'unknown', 'shortfall', 'requests']

export default function MarginPage() {
  const t = useOperateTexts().margin
  const { sums: words } = useOperateTexts()
  const number = useNumber()
  const period = usePeriod()
  const [url, setUrl] = useUrlState(DEFAULTS)
  const by = BY.find((each) => each === url.by) ?? 'day'
  const { now, before, error, refetch } = useTotals(period, {})
  const { rows } = useGroups(period, [by], {}, '-charged')
  const figures: Figure[] = [
    { label: words.charged, of: ({ charged_usd }) => charged_usd },
    { label: words.cost, of: ({ upstream_cost_usd }) => upstream_cost_usd },
    { label: words.margin, of: ({ margin_usd }) => margin_usd, show: (sums) => <Margin figures={sums} /> },
    {
      label: words.unknown,
      of: ({ unknown_costs }) => unknown_costs,
      show: ({ unknown_costs: count = 0 }) => (count === 0 ? '0' : <UnknownLink period={period} count={count} />),
      note: ({ unknown_costs: count = 0, requests }) =>
        count === 0 ? t.unknownNone : t.unknownNote(number(count / requests, PERCENT)),
    },
    { label: words.shortfall, of: ({ shortfall_usd }) => shortfall_usd, note: () => t.shortfallNote },
  ]
  return (
    <>
      <PageHeader
        title={t.title}
        text={t.text}
        help="operate/browser#margin"
        actions={
          <>
            <PeriodPresets period={period} />
            <CsvLink path="usage" params={{ group_by: by, from: period.from, to: period.to }} />
          </>
        }
      />
      <div className="mb-4 grid grid-cols-2 gap-3 empty:hidden full:grid-cols-4">
        <ChosenDays />
      </div>
      {error && !now ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <>
          <Totals figures={figures} now={now} before={before} />
          {(now?.unknown_costs ?? 0) > 0 && (
            <div className="mb-4">
              <Banner
                tone="warn"
                action={
                  <Link href={pathOf('models')} className="underline">
                    {t.openModels}
                  </Link>
                }
              >
                {t.unknownWhy}
              </Banner>
            </div>
          )}
          <Section title={t.chart}>
            <MarginChart period={period} />
          </Section>
          <Section
            flush
            title={t.groups}
            {...(rows?.length === MOST_ROWS && by !== 'day' ? { text: t.largest(MOST_ROWS) } : {})}
            actions={
              <Segments
                label={t.by}
                value={by}
                onChange={(value) => setUrl({ by: value })}
                options={BY.map((value) => ({ value, label: words.dimensions[value] }))}
              />
            }
          >
            <SumsTable
              label={t.groups}
              period={period}
              by={[by]}
              filter={{}}
              columns={COLUMNS}
              rows={rows}
              total={now}
            />
          </Section>
        </>
      )}
    </>
  )
}

const PERCENT = { style: 'percent', maximumFractionDigits: 1 } as const

function UnknownLink({ period, count }: { period: Period; count: number }) {
  const { unknownLink } = useOperateTexts().sums
  const number = useNumber()
  return (
    <Link href={requestsHref(period, { unknown_cost: 'true' })} className="underline" title={unknownLink}>
      {number(count)}
    </Link>
  )
}

/** What was charged, as the cost and what is above it. Of a loss the bar shows the cost alone; its text has the sign. */
function MarginChart({ period }: { period: Period }) {
  const t = useOperateTexts().margin
  const { locale } = useLanguage()
  const { data } = useSteps(period, {})
  if (!data) return <Skeleton size="h-[228px] w-full" />
  const byTime = new Map(data.data.map((row) => [Date.parse(row.hour ?? `${row.day}T00:00:00Z`), row]))
  const series = (name: string, label: string, colour: string, of: (row: Sums) => string | undefined) => {
    const values = period.steps.map((step) => {
      const row = byTime.get(Date.parse(step))
      return (row && of(row)) ?? '0.00'
    })
    return {
      name,
      label,
      colour,
      values: values.map((usd) => Math.max(0, Number(usd))),
      shown: values.map((usd) => `${formatUsd(usd, locale)} USD`),
    }
  }
  const charged = series('charged', '', '', ({ charged_usd }) => charged_usd)
  return (
    <StackedBars
      label={t.chart}
      steps={period.steps}
      formatStep={stepFormat(period, locale)}
      series={[
        series('cost', t.seriesCost, OTHER_COLOUR, ({ upstream_cost_usd }) => upstream_cost_usd),
        series('margin', t.seriesMargin, 'text-chart-1', ({ margin_usd }) => margin_usd),
      ]}
      totals={charged.shown}
    />
  )
}
