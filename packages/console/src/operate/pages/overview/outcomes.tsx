import { Link } from 'wouter'
import { StackedBars } from '../../../charts/stacked-bars.tsx'
import { useLanguage } from '../../../i18n/language.tsx'
import { Section } from '../../../ui/page.tsx'
import { Time, useNumber } from '../../../ui/values.tsx'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useDid } from '../../i18n/use-words.ts'
import { pathOf } from '../../page-ids.ts'
import { CLASS_COLOURS, classOf, OUTCOME_CLASSES, type OutcomeClass } from '../../sums/outcomes.ts'

type Overview = Output<'GET', 'overview'>

/** Newest ones; the page of each has all of them. */
const MOST_TICKS = 6

export function Outcomes({ data }: { data: Overview }) {
  const t = useOperateTexts().overview.chart
  const { classes } = useOperateTexts().sums
  const { locale } = useLanguage()
  const number = useNumber()
  const steps = stepsOf(data)
  const format = new Intl.DateTimeFormat(
    locale,
    data.step_seconds < 86_400
      ? { hour: '2-digit', minute: '2-digit' }
      : { day: 'numeric', month: 'short', timeZone: 'UTC' },
  )
  const places = new Map(steps.map((at, index) => [Date.parse(at), index]))
  const counts = new Map<OutcomeClass, number[]>()
  for (const { at, outcome, requests } of data.outcomes) {
    const name = classOf(outcome)
    const values = counts.get(name) ?? steps.map(() => 0)
    counts.set(name, values)
    const place = places.get(Date.parse(at))
    if (place !== undefined) values[place] = (values[place] ?? 0) + requests
  }
  const series = OUTCOME_CLASSES.flatMap((name) => {
    const values = counts.get(name)
    if (!values) return []
    const shown = values.map((value) => number(value))
    return [{ name, label: classes[name], colour: CLASS_COLOURS[name], values, shown }]
  })
  const totals = steps.map((_, step) => number(series.reduce((sum, { values }) => sum + (values[step] ?? 0), 0)))
  const marks = data.ticks.map(({ at, kind, text }) => ({ at, isAlert: kind === 'alert', text }))
  return (
    <Section title={t.title} text={series.length === 0 ? t.empty : t.unit}>
      <StackedBars
        label={t.title}
        steps={steps}
        formatStep={(at) => format.format(new Date(at))}
        series={series}
        totals={totals}
        marks={marks}
      />
      <Ticks ticks={data.ticks} />
    </Section>
  )
}

function stepsOf({ from, to, step_seconds }: Overview): string[] {
  const [begin, end, step] = [Date.parse(from), Date.parse(to), step_seconds * 1_000]
  return Array.from({ length: Math.round((end - begin) / step) }, (_, index) =>
    new Date(begin + index * step).toISOString(),
  )
}

/** What the marks of the chart stand for, in words. */
function Ticks({ ticks }: { ticks: Overview['ticks'] }) {
  const { overview, alerts } = useOperateTexts()
  const t = overview.chart
  const did = useDid()
  if (ticks.length === 0) return null
  const aboutOf = ({ kind, text }: Overview['ticks'][number]) => {
    const [first = '', ...rest] = text.split(': ')
    return [kind === 'alert' ? (alerts.rules[first]?.title ?? first) : did(first), ...rest].join(': ')
  }
  return (
    <section aria-label={t.ticks} className="mt-3 border-t pt-3">
      <ul className="flex flex-col gap-1 text-sm">
        {ticks.slice(0, MOST_TICKS).map((tick) => (
          <li key={`${tick.kind} ${tick.id}`} className="flex min-w-0 flex-wrap gap-x-2">
            <span aria-hidden="true" className={tick.kind === 'alert' ? 'text-bad' : 'text-link'}>
              {tick.kind === 'alert' ? '▲' : '◆'}
            </span>
            <span className="text-muted">
              <Time at={tick.at} />
            </span>
            <Link
              href={pathOf(tick.kind === 'alert' ? 'alerts' : 'configuration')}
              className="min-w-0 wrap-anywhere hover:underline"
            >
              {tick.kind === 'alert' ? t.alert : t.revision(tick.id)}: {aboutOf(tick)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
