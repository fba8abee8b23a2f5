import { urlOf } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import type { RejectedSummary, RequestSummary } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button, ButtonAnchor, ButtonLink } from '../../ui/button.tsx'
import { Segments } from '../../ui/form/choices.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { List } from '../../ui/table/list.tsx'
import type { Column } from '../../ui/table.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { Duration, Time, useNumber } from '../../ui/values.tsx'
import { FILTERS } from './filters.ts'
import { OutcomeBadge } from './outcome.tsx'
import type { Period } from './range.ts'

const VIEWS = ['served', 'rejected'] as const

/** Rejected requests cost nothing and have no receipt: they are a list of their own. */
export function RequestsSection({ period }: { period: Period }) {
  const [{ view }] = useUrlState(FILTERS)
  return view === 'rejected' ? <RejectedRequests period={period} /> : <ServedRequests period={period} />
}

function ViewSwitch() {
  const t = useTexts().usage.list
  const [{ view }, setFilters] = useUrlState(FILTERS)
  return (
    <Segments
      label={t.view}
      value={VIEWS.find((each) => each === view) ?? 'served'}
      onChange={(value) => setFilters({ view: value, before: '' })}
      options={VIEWS.map((value) => ({ value, label: t.views[value] }))}
    />
  )
}

function RejectedRequests({ period }: { period: Period }) {
  const t = useTexts().usage
  const number = useNumber()
  const [{ key, before, request }, setFilters] = useUrlState(FILTERS)
  const params = { from: period.from, to: period.to, key, before }
  const query = useRead('rejected-requests', params, { every: 'live', keepPrevious: true })
  const columns: Column<RejectedSummary>[] = [
    { id: 'time', label: t.list.time, cell: (row) => <Time at={row.at} style="moment" /> },
    {
      id: 'code',
      label: t.rejected.code,
      cell: ({ status, code }) => (
        <span className="font-mono text-sm cards:break-all rows:whitespace-nowrap">
          {[status, code].filter(Boolean).join(' ')}
        </span>
      ),
    },
    {
      id: 'key',
      label: t.list.key,
      shrinks: true,
      cell: ({ key_name: name }) => (
        <span title={name ?? undefined} className="cards:wrap-anywhere">
          {name ?? t.rejected.several}
        </span>
      ),
    },
    { id: 'count', label: t.rejected.count, align: 'right', cell: (row) => number(row.count) },
    {
      id: 'message',
      label: t.rejected.message,
      shrinks: 'fills',
      cell: (row) => (
        <span lang="en" title={row.message} className="cards:wrap-anywhere">
          {row.message}
        </span>
      ),
    },
  ]
  return (
    <Section flush title={t.rejected.title} text={t.rejected.text} actions={<ViewSwitch />}>
      <List
        broad
        label={t.rejected.title}
        columns={columns}
        query={query}
        cursor="before"
        onOpen={(row) => setFilters({ request: row.request_id }, { replace: false })}
        isSelected={(row) => row.request_id === request}
        empty={<EmptyState title={t.rejected.empty} />}
      />
    </Section>
  )
}

function ServedRequests({ period }: { period: Period }) {
  const t = useTexts().usage
  const [filters, setFilters] = useUrlState(FILTERS)
  const { model, key, tag, end_user, session, outcome, before, request } = filters
  const params = { from: period.from, to: period.to, model, key, tag, end_user, session, outcome }
  const query = useRead('requests', { ...params, before }, { every: 'live', keepPrevious: true })
  const columns = useRequestColumns()
  return (
    <Section
      flush
      title={t.list.title}
      actions={
        <>
          <ViewSwitch />
          <SelectField
            hideLabel
            label={t.filters.outcome}
            value={outcome}
            onChange={(value) => setFilters({ outcome: value, before: '' })}
            options={[
              { value: '', label: t.filters.allOutcomes },
              { value: 'errors', label: t.filters.allErrors },
              ...Object.entries(t.outcomes)
                .filter(([value]) => value !== 'rejected')
                .map(([value, label]) => ({ value, label })),
            ]}
          />
          <ButtonAnchor icon="download" href={urlOf('console', 'requests.csv', params)} download>
            {t.list.csv}
          </ButtonAnchor>
        </>
      }
    >
      <List
        broad
        label={t.list.title}
        columnsKept="own-requests"
        columns={columns}
        query={query}
        cursor="before"
        rowKey={(row) => row.request_id}
        expected={8}
        onOpen={(row) => setFilters({ request: row.request_id }, { replace: false })}
        isSelected={(row) => row.request_id === request}
        empty={<NoRequests next={query.data?.next ?? null} />}
      />
    </Section>
  )
}

/** `next`: a page looks at a few thousand requests only, so older ones may match. */
function NoRequests({ next }: { next: string | null }) {
  const t = useTexts().usage
  const [filters, setFilters] = useUrlState(FILTERS)
  const none = { model: '', key: '', tag: '', end_user: '', session: '', outcome: '' }
  const isFiltered = Object.keys(none).some((name) => filters[name as keyof typeof none] !== '')
  if (next !== null) {
    const search = () => setFilters({ before: next }, { replace: false })
    return <EmptyState title={t.list.emptySoFar} action={<Button onClick={search}>{t.list.searchOlder}</Button>} />
  }
  if (!isFiltered) {
    return (
      <EmptyState title={t.list.empty} action={<ButtonLink href="/playground">{t.list.emptyAction}</ButtonLink>}>
        {t.list.emptyText}
      </EmptyState>
    )
  }
  const clear = () => setFilters({ ...none, before: '' })
  return <EmptyState title={t.list.emptyFiltered} action={<Button onClick={clear}>{t.filters.clear}</Button>} />
}

/** A column that is only shown if it is chosen. */
export const NEVER = 100_000

const named = (name: string | null) =>
  name && (
    <span title={name} className="cards:wrap-anywhere">
      {name}
    </span>
  )

/** Also for the newest requests of the overview. */
export function useRequestColumns(): Column<RequestSummary>[] {
  const t = useTexts().usage.list
  const number = useNumber()
  const count = (tokens: number | null) => (tokens === null ? '\u2013' : number(tokens))
  return [
    { id: 'time', label: t.time, line: 2, cell: (row) => <Time at={row.at} style="moment" /> },
    {
      id: 'model',
      label: t.model,
      shrinks: true,
      least: 20,
      line: 1,
      cell: (row) => (
        <span title={row.model} className="cards:break-all">
          {row.model}
        </span>
      ),
    },
    {
      id: 'key',
      label: t.key,
      shrinks: true,
      drop: 700,
      cell: (row) => (
        <span title={row.key_name} className="cards:wrap-anywhere">
          {row.key_name}
        </span>
      ),
    },
    {
      id: 'tokens',
      label: t.tokens,
      align: 'right',
      drop: 680,
      cell: (row) => (
        <span className="whitespace-nowrap">
          {count(row.input_tokens)} / {count(row.output_tokens)}
        </span>
      ),
    },
    {
      id: 'cost',
      label: t.cost,
      line: 2,
      // The cost of a running request is not known yet.
      usd: (row) => (row.outcome === 'running' ? null : row.cost_usd),
    },
    {
      id: 'tags',
      label: t.tags,
      shrinks: true,
      drop: 1_600,
      cell: ({ tags }) => (
        <span title={tags.join(', ')} className="cards:wrap-anywhere">
          {tags.join(', ')}
        </span>
      ),
    },
    { id: 'end_user', label: t.endUser, shrinks: true, drop: NEVER, cell: (row) => named(row.end_user) },
    { id: 'session', label: t.session, shrinks: true, drop: NEVER, cell: (row) => named(row.session) },
    { id: 'latency', label: t.latency, align: 'right', drop: 760, cell: (row) => <Duration ms={row.total_ms} /> },
    { id: 'outcome', label: t.outcome, line: 2, cell: (row) => <OutcomeBadge outcome={row.outcome} /> },
  ]
}
