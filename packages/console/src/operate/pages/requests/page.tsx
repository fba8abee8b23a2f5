import { useState } from 'react'
import { useLanguage, useTexts } from '../../../i18n/language.tsx'
import { ChosenDays, PeriodPresets } from '../../../pages/usage/period-choice.tsx'
import { SessionStats } from '../../../pages/usage/session.tsx'
import { Button } from '../../../ui/button.tsx'
import { Segments } from '../../../ui/form/choices.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { formatTime } from '../../../ui/values.tsx'
import { useAccountChoices, useModelChoices, useUpstreamChoices } from '../../api/choices.ts'
import { LIVE, useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { type FilterField, Filters } from '../../ui/filters.tsx'
import { AdminList, CsvLink } from '../../ui/list.tsx'
import { useMay } from '../../ui/permissions.ts'
import { OutcomeChart } from './chart.tsx'
import { type ListedRequest, useOperatorColumns } from './columns.tsx'
import { FILTERS, type RequestFilters, shownIn } from './filters.ts'
import { RejectedList } from './rejected.tsx'
import { RequestDrawer } from './request.tsx'

const MINUTE_MS = 60_000
const VIEWS = ['requests', 'rejected'] as const

export default function RequestsPage() {
  const t = useOperateTexts().requests
  const [filters, setFilters] = useUrlState(FILTERS)
  const [now] = useState(Date.now)
  // The period moves on with the clock, but not with every rendering.
  const minute = Math.floor(Math.max(now, Date.now()) / MINUTE_MS) * MINUTE_MS
  const { period, from, to } = shownIn(filters, minute)
  const { account, key, model, upstream, outcome, tag, end_user, session, error_code, status, id, unknown_cost } =
    filters
  const view = VIEWS.find((each) => each === filters.view) ?? 'requests'
  const isLive = filters.live === 'on'
  const every = isLive ? { every: LIVE } : {}
  const sought = { account, key, error_code, from, to }
  const params = { ...sought, model, upstream, outcome, tag, end_user, session, status, id, unknown_cost }
  const columns = useOperatorColumns()
  const isBeyondSums = [tag, end_user, session, error_code, status, id, unknown_cost].some((value) => value !== '')
  return (
    <>
      <PageHeader
        title={t.title}
        help="operate/browser#requests"
        actions={<PeriodPresets period={period} defaults={FILTERS} />}
      />
      <div className="mb-4 flex flex-wrap items-end gap-3">
        <ChosenDays />
        <RequestFilterChips filters={filters} />
        {filters.at !== '' ? (
          <Times from={from} to={to} onRemove={() => setFilters({ at: '', after: '' })} />
        ) : (
          filters.from.includes('T') && (
            <Times from={from} to={to} onRemove={() => setFilters({ from: '', to: '', after: '' })} />
          )
        )}
      </div>
      {session !== '' && account !== '' && <SessionTotals account={account} session={session} />}
      {view === 'requests' && (
        <Section title={t.chart.title} {...(isBeyondSums ? { text: t.chart.beyond } : {})}>
          <OutcomeChart
            filters={filters}
            period={period}
            onOpen={(at) => setFilters({ at, after: '' }, { replace: false })}
          />
        </Section>
      )}
      <Section
        flush
        title={view === 'requests' ? t.title : t.rejected.title}
        {...(view === 'rejected' ? { text: t.rejected.text } : {})}
        actions={
          <>
            <Segments
              label={t.view}
              value={view}
              onChange={(value) => setFilters({ view: value, after: '' })}
              options={VIEWS.map((value) => ({ value, label: t.views[value] }))}
            />
            <LiveSwitch isLive={isLive} onChange={(live) => setFilters({ live: live ? 'on' : 'off' })} />
            <CsvLink
              path={view === 'requests' ? 'requests' : 'rejected-requests'}
              params={view === 'requests' ? params : sought}
            />
          </>
        }
      >
        {view === 'rejected' ? (
          <RejectedList params={sought} {...every} />
        ) : (
          <RequestList
            params={params}
            columns={columns}
            {...every}
            onOpen={(request) => setFilters({ request }, { replace: false })}
          />
        )}
      </Section>
      <RequestDrawer id={filters.request} onClose={() => setFilters({ request: '' })} />
    </>
  )
}

/** Sessions of several accounts may have the same name. */
function SessionTotals({ account, session }: { account: string; session: string }) {
  const { data } = useAdmin('usage/session', { account, session })
  return <SessionStats session={session} sums={data} />
}

type ListProps = {
  params: Record<
    | 'account'
    | 'key'
    | 'model'
    | 'upstream'
    | 'outcome'
    | 'tag'
    | 'end_user'
    | 'session'
    | 'error_code'
    | 'status'
    | 'id'
    | 'unknown_cost'
    | 'from'
    | 'to',
    string
  >
  columns: readonly Column<ListedRequest>[]
  every?: number
  onOpen(id: string): void
}

function RequestList({ params, columns, every, onOpen }: ListProps) {
  const t = useOperateTexts().requests
  const [{ request }] = useUrlState(FILTERS)
  return (
    <AdminList
      path="requests"
      columnsKept="request"
      params={{ ...params, limit: PAGE }}
      label={t.title}
      columns={columns}
      onOpen={(row) => onOpen(row.id)}
      isSelected={(row) => row.id === request}
      empty={<NoRequests />}
      {...(every === undefined ? {} : { every })}
    />
  )
}

const PAGE = '50'

function NoRequests() {
  const t = useOperateTexts().requests
  const [, setFilters] = useUrlState(FILTERS)
  const { view: _, live: __, ...none } = FILTERS
  return (
    <EmptyState
      title={t.empty}
      action={<Button onClick={() => setFilters({ ...none, range: '30d' })}>{t.widen}</Button>}
    >
      {t.emptyText}
    </EmptyState>
  )
}

function LiveSwitch({ isLive, onChange }: { isLive: boolean; onChange(isLive: boolean): void }) {
  const t = useOperateTexts().shell
  return (
    <Button icon={isLive ? 'stop' : 'playground'} aria-pressed={isLive} onClick={() => onChange(!isLive)}>
      {isLive ? t.live : t.paused}
    </Button>
  )
}

/** The times of the bar that was chosen, or of the link that led here. */
function Times({ from, to, onRemove }: { from: string; to: string; onRemove(): void }) {
  const t = useOperateTexts().requests
  const { locale } = useLanguage()
  const end = to === '' ? t.now : formatTime(to, locale)
  return (
    <Button small icon="close" onClick={onRemove} title={t.removeTime}>
      {`${formatTime(from, locale)} – ${end}`}
    </Button>
  )
}

function RequestFilterChips({ filters }: { filters: RequestFilters }) {
  const t = useOperateTexts().requests
  const { usage } = useTexts()
  const may = useMay()
  const { account, key } = filters
  const { data: owner } = useAdmin('accounts/{account}', { account }, { enabled: account !== '', staleTime: MINUTE_MS })
  const { data: used } = useAdmin('keys/{key}', { key }, { enabled: key !== '', staleTime: MINUTE_MS })
  const fields: FilterField[] = [
    { name: 'account', label: t.account, useChoices: useAccountChoices, ...(owner ? { shown: owner.name } : {}) },
    { name: 'key', label: t.key, placeholder: t.keyId, ...(used ? { shown: used.name } : {}) },
    { name: 'model', label: t.model, useChoices: useModelChoices },
    { name: 'upstream', label: t.upstream, useChoices: useUpstreamChoices },
    {
      name: 'outcome',
      label: t.outcome,
      options: [
        { value: 'errors', label: t.allErrors },
        ...Object.entries(usage.outcomes)
          .filter(([value]) => value !== 'rejected')
          .map(([value, label]) => ({ value, label })),
      ],
    },
    { name: 'tag', label: usage.filters.tag, placeholder: 'team=search' },
    { name: 'end_user', label: usage.filters.endUser },
    { name: 'session', label: usage.filters.session },
    { name: 'error_code', label: t.code, placeholder: 'rate_limit_exceeded' },
    { name: 'status', label: t.status, placeholder: '502' },
    { name: 'id', label: t.id, placeholder: 'req_…' },
    ...(may('see_costs')
      ? [{ name: 'unknown_cost', label: t.cost, options: [{ value: 'true', label: t.unknownCost }] }]
      : []),
  ]
  return <Filters fields={fields} />
}
