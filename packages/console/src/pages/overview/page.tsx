import { useState } from 'react'
import { useLocation } from 'wouter'
import { useRead } from '../../api/queries.ts'
import type { Overview } from '../../api/types.ts'
import { StackedBars } from '../../charts/stacked-bars.tsx'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { PageHeader, Section, Stat } from '../../ui/page.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Amount, formatUsd, isZero } from '../../ui/values.tsx'
import { useRequestColumns } from '../usage/requests.tsx'
import { FirstRun } from './first-run.tsx'

export default function OverviewPage() {
  const t = useTexts().overview
  const { data, error, refetch } = useRead('overview', {}, { every: 'live' })
  const [isFinished, setFinished] = useState(false)
  const [hasBegun, setBegun] = useState(false)
  // The path goes on after its key is created.
  const isFirstRun = !isFinished && (hasBegun || data?.keys === 0)

  if (error && !data) {
    return (
      <>
        <PageHeader title={t.title} help="use/console#overview" />
        <ErrorState error={error} retry={refetch} />
      </>
    )
  }
  return (
    <>
      <PageHeader title={t.title} help="use/console#overview" />
      <Balances />
      {isFirstRun && <FirstRun onBegin={() => setBegun(true)} onFinish={() => setFinished(true)} />}
      {!isFirstRun && data !== undefined && data.requests.length === 0 && <ConnectCard />}
      {(!isFirstRun || (!hasBegun && (data?.requests.length ?? 0) > 0)) && (
        <>
          <SpendChart days={data?.days} />
          <LatestRequests />
        </>
      )}
    </>
  )
}

/** There is a key, and no request has come yet: the way to a client's set-up stays in sight. */
function ConnectCard() {
  const t = useTexts().overview.connect
  return (
    <Section
      title={t.title}
      text={t.text}
      actions={
        <ButtonLink variant="primary" icon="connect" href="/connect">
          {t.action}
        </ButtonLink>
      }
    >
      <p className="text-muted">{t.steps}</p>
    </Section>
  )
}

function Balances() {
  const t = useTexts().overview
  const { data } = useRead('overview', {}, { every: 'live' })
  const amount = (usd: string | undefined) => (usd === undefined ? undefined : <Amount rounded usd={usd} />)
  const isHeld = data !== undefined && !isZero(data.held_usd)
  return (
    <div className="mb-6 grid gap-3 min-[521px]:grid-cols-3">
      <Stat
        label={t.balance}
        note={
          isHeld ? (
            <>
              <Amount rounded usd={data.held_usd} /> {t.held}
            </>
          ) : (
            t.noneHeld
          )
        }
      >
        {amount(data?.balance_usd)}
      </Stat>
      <Stat label={t.today} note={t.todayNote}>
        {amount(data?.spent_today_usd)}
      </Stat>
      <Stat label={t.month} note={t.monthNote}>
        {amount(data?.spent_this_month_usd)}
      </Stat>
    </div>
  )
}

function LatestRequests() {
  const t = useTexts().overview
  const { data } = useRead('overview', {}, { every: 'live' })
  const columns = useRequestColumns()
  const [, navigate] = useLocation()
  return (
    <Section
      flush
      title={t.requests}
      actions={
        <ButtonLink small href="/usage">
          {t.allRequests}
        </ButtonLink>
      }
    >
      <Table
        broad
        label={t.requests}
        columns={columns}
        rows={data?.requests}
        rowKey={(row) => row.request_id}
        expected={10}
        onOpen={(row) => navigate(`/usage?request=${row.request_id}`)}
        empty={
          <EmptyState title={t.empty} action={<ButtonLink href="/playground">{t.emptyAction}</ButtonLink>}>
            {t.emptyText}
          </EmptyState>
        }
      />
    </Section>
  )
}

/** Has the height of the chart. */
const PENDING = <Skeleton size="h-[228px] w-full" />

function SpendChart({ days }: { days: Overview['days'] | undefined }) {
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
