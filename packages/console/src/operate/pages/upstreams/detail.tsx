// One upstream: its health, what it did in the last day and cost in the last month, its keys, and what can be done with it.

import { Link } from 'wouter'
import { StackedBars } from '../../../charts/stacked-bars.tsx'
import { useLanguage } from '../../../i18n/language.tsx'
import { Facts, PageHeader, Section, Stat } from '../../../ui/page.tsx'
import { Badge, Banner, ErrorState, Skeleton } from '../../../ui/states.tsx'
import { formatDuration, formatUsd, Time, useNumber } from '../../../ui/values.tsx'
import { LIVE, useAdmin } from '../../api/queries.ts'
import type { Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS, pageLink } from '../../links.ts'
import { pathOf } from '../../page-ids.ts'
import { CLASS_COLOURS } from '../../sums/outcomes.ts'
import { useMay } from '../../ui/permissions.ts'
import { UpstreamActs } from './acts.tsx'
import { lastDays } from './days.ts'
import { ErrorRate, type Figures, HealthBadge } from './health.tsx'
import { UpstreamKeys } from './keys.tsx'

export function UpstreamPage({ id }: { id: string }) {
  const t = useOperateTexts().upstreams
  const may = useMay()
  const entry = useAdmin('upstreams/{upstream}', { upstream: id })
  const { data } = useAdmin('upstream-figures', {}, { every: LIVE })
  const figures = data?.data.find((each) => each.id === id)
  if (entry.error && !entry.data)
    return (
      <>
        <PageHeader title={id} help="operate/browser#upstreams" />
        <ErrorState error={entry.error} retry={entry.refetch} />
      </>
    )
  const place = entry.data && sourceOf(entry.data.source, t.detail.sources)
  return (
    <>
      <PageHeader
        title={id}
        help="operate/browser#upstreams"
        text={
          <Link href={pathOf('upstreams')} className="text-link hover:underline">
            {t.detail.back}
          </Link>
        }
        actions={
          entry.data ? (
            <UpstreamActs upstream={entry.data} figures={figures} />
          ) : (
            <Skeleton size="h-8 w-80 pointer-coarse:h-10" />
          )
        }
      />
      <Stats figures={figures} />
      <Section>
        {entry.data ? (
          <div className="flex flex-col gap-3">
            {entry.data.read_only && place && <Banner>{t.detail.readOnly(place)}</Banner>}
            {entry.data.invalid && <Banner tone="bad">{entry.data.invalid.join(' ')}</Banner>}
            <UpstreamFacts id={id} upstream={entry.data} figures={figures} place={place ?? ''} />
          </div>
        ) : (
          <Skeleton size="h-32 w-full" />
        )}
      </Section>
      <UpstreamKeys upstream={entry.data} figures={figures} />
      <Calls figures={figures} />
      {may('see_costs') && <Spend id={id} />}
      <p className="text-sm text-muted">
        {t.measured} {figures?.node && t.node(figures.node)}
      </p>
    </>
  )
}

type Source = Schemas['Upstream']['source']
type SourceTexts = {
  file(file: string, line: number): string
  environment(variable: string): string
  stored(revision: number): string
  'built-in': string
}

function sourceOf({ from, file, line, variable, revision }: Source, t: SourceTexts): string {
  if (from === 'file') return t.file(file ?? '', line ?? 0)
  if (from === 'environment') return t.environment(variable ?? '')
  return from === 'stored' ? t.stored(revision ?? 0) : t['built-in']
}

function Stats({ figures }: { figures: Figures | undefined }) {
  const t = useOperateTexts().upstreams
  const { locale } = useLanguage()
  const number = useNumber()
  const times = (each: Figures['total_ms']) =>
    each ? `${formatDuration(each.p50, locale)} / ${formatDuration(each.p95, locale)}` : '\u2013'
  return (
    <div className="mb-6 grid gap-3 min-[521px]:grid-cols-2 min-[1100px]:grid-cols-4">
      <Stat label={t.list.health}>{figures && <HealthBadge health={figures.health} />}</Stat>
      <Stat label={t.list.requests} note={t.list.hours}>
        {figures && (
          <Link href={pageLink('requests', { upstream: figures.id })} className="hover:underline">
            {number(figures.requests)}
          </Link>
        )}
      </Stat>
      <Stat label={t.list.errors} note={t.list.hours}>
        {figures && <ErrorRate figures={figures} />}
      </Stat>
      <Stat label={t.list.firstToken} note={figures && `${t.list.total}: ${times(figures.total_ms)}`}>
        {figures && times(figures.first_token_ms)}
      </Stat>
    </div>
  )
}

type FactsProps = { id: string; upstream: Schemas['Upstream']; figures: Figures | undefined; place: string }

function UpstreamFacts({ id, upstream, figures, place }: FactsProps) {
  const { detail: t, health } = useOperateTexts().upstreams
  const models = useAdmin('models', { upstream: id, limit: '100' }).data?.data
  const by = figures?.switch.by
  const limits = useAdmin('upstreams/{upstream}/state', { upstream: id }).data?.limits ?? []
  const names = useOperateTexts().upstreams.limits
  return (
    <Facts
      items={[
        { label: t.kind, value: figures?.name ?? figures?.kind ?? String(upstream.kind ?? upstream.dialect ?? '') },
        { label: t.address, value: <span className="font-mono text-sm">{figures?.base_url ?? '\u2013'}</span> },
        { label: t.source, value: place },
        {
          label: t.concurrency,
          value: `${figures?.running_requests ?? '\u2013'} / ${upstream.max_concurrency ?? t.noLimit}`,
        },
        ...limits.map(({ model, limit, most, used, until }) => ({
          label: model === null ? names[limit] : `${names[limit]} (${model})`,
          value: (
            <>
              {used} / {most} {until && <Time at={until} style="time" />}
            </>
          ),
        })),
        ...(figures && by && figures.switch.state !== 'enabled'
          ? [
              {
                label: t.switched,
                value: [t.switchedBy(health[figures.switch.state], by), figures.switch.reason]
                  .filter(Boolean)
                  .join(': '),
              },
            ]
          : []),
        {
          label: t.models,
          value:
            models?.length === 0 ? (
              t.noModels
            ) : (
              <span className="flex flex-wrap gap-1.5">
                {models?.map((model) => (
                  <Link key={model.id} href={LINKS.model(model.id)}>
                    <Badge>{model.id}</Badge>
                  </Link>
                ))}
              </span>
            ),
        },
      ]}
    />
  )
}

const PENDING = <Skeleton size="h-[228px] w-full" />

function Calls({ figures }: { figures: Figures | undefined }) {
  const t = useOperateTexts().upstreams.detail
  const { locale } = useLanguage()
  const number = useNumber()
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
  const hours = figures?.hours ?? []
  const series = (name: string, label: string, colour: string, values: number[]) => ({
    name,
    label,
    colour,
    values,
    shown: values.map((value) => number(value)),
  })
  return (
    <Section title={t.callsByHour} text={t.callsText}>
      {figures ? (
        <StackedBars
          label={t.callsByHour}
          steps={hours.map(({ hour }) => hour)}
          formatStep={(at) => time.format(new Date(at))}
          series={[
            series(
              'good',
              t.good,
              CLASS_COLOURS.delivered,
              hours.map(({ requests, failed }) => requests - failed),
            ),
            series(
              'failed',
              t.failed,
              CLASS_COLOURS.failed,
              hours.map(({ failed }) => failed),
            ),
          ]}
          totals={hours.map(({ requests }) => number(requests))}
        />
      ) : (
        PENDING
      )}
    </Section>
  )
}

function Spend({ id }: { id: string }) {
  const t = useOperateTexts().upstreams.detail
  const { locale } = useLanguage()
  const days = lastDays(30)
  const [from = ''] = days
  const { data, error, refetch } = useAdmin('usage', { group_by: 'day', upstream: id, from, limit: '100' })
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  const costs = days.map((day) => data?.data.find((each) => each.day === day)?.upstream_cost_usd ?? '0.00')
  const shown = costs.map((usd) => `${formatUsd(usd, locale)} USD`)
  if (error && !data) return <ErrorState error={error} retry={refetch} />
  return (
    <Section title={t.spend} text={t.spendText}>
      {data ? (
        <StackedBars
          label={t.spend}
          steps={days}
          formatStep={(at) => format.format(new Date(at))}
          series={[{ name: 'cost', label: t.spend, colour: 'text-chart-1', values: costs.map(Number), shown }]}
          totals={shown}
        />
      ) : (
        PENDING
      )}
    </Section>
  )
}
