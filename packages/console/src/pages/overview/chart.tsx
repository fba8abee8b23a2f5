import type { Overview } from '../../api/types.ts'
import { StackedBars } from '../../charts/stacked-bars.tsx'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { Section } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { formatUsd } from '../../ui/values.tsx'

/** Has the height of the chart. */
const PENDING = <Skeleton size="h-[228px] w-full" />

export function SpendChart({ days }: { days: Overview['days'] | undefined }) {
  const t = useTexts().overview
  const { locale } = useLanguage()
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const shown = days?.map(({ cost_usd }) => `${formatUsd(cost_usd, locale)} USD`) ?? []
  const values = days?.map(({ cost_usd }) => Number(cost_usd)) ?? []
  const isEmpty = values.every((value) => value === 0)
  return (
    <Section title={t.chart} text={days && isEmpty ? t.chartEmpty : t.chartUnit}>
      {days ? (
        <StackedBars
          label={t.chart}
          steps={days.map(({ at }) => at)}
          formatStep={(at) => format.format(new Date(at))}
          series={[{ name: 'spend', label: t.chart, colour: 'text-chart-1', values, shown }]}
          totals={shown}
        />
      ) : (
        PENDING
      )}
    </Section>
  )
}
