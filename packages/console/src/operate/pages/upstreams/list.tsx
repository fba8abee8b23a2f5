import { Link, useLocation } from 'wouter'
import { useLanguage, useTexts } from '../../../i18n/language.tsx'
import { ButtonLink } from '../../../ui/button.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { List } from '../../../ui/table/list.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { formatDuration, useNumber } from '../../../ui/values.tsx'
import { LIVE, useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS, pageLink } from '../../links.ts'
import { pathOf } from '../../page-ids.ts'
import { useMay } from '../../ui/permissions.ts'
import { daysAgo } from './days.ts'
import { ErrorRate, type Figures, HealthBadge, Hours } from './health.tsx'
import { Wizard } from './wizard/wizard.tsx'

const ADD = { add: '' }
/** Sums of days change slowly. */
const SPEND_EVERY_MS = 60_000

export const addUpstreamPath = `${pathOf('upstreams')}?add=yes`

export function UpstreamList() {
  const t = useOperateTexts().upstreams
  const [, navigate] = useLocation()
  const [{ add }] = useUrlState(ADD)
  const may = useMay()
  const isAdding = add !== '' && may('configuration')
  const query = useAdmin('upstream-figures', {}, { every: LIVE, enabled: !isAdding })
  const columns = useColumns()
  if (isAdding) return <AddUpstream />
  const node = query.data?.data.find((each) => each.node !== null)?.node
  return (
    <>
      <PageHeader title={t.title} help="operate/browser#upstreams" text={t.text} actions={<AddButton />} />
      <Section flush>
        <List
          broad
          columnsKept="upstreams"
          label={t.list.label}
          columns={columns}
          query={query}
          expected={4}
          onOpen={({ id }) => navigate(LINKS.upstream(id))}
          empty={
            <EmptyState title={t.empty} action={<AddButton />}>
              {t.emptyText}
            </EmptyState>
          }
        />
      </Section>
      <p className="text-sm text-muted">
        {t.measured} {node && t.node(node)}
      </p>
    </>
  )
}

function AddButton() {
  const t = useOperateTexts().upstreams
  const may = useMay()
  if (!may('configuration')) return null
  return (
    <ButtonLink variant="primary" icon="plus" href={addUpstreamPath}>
      {t.add}
    </ButtonLink>
  )
}

function AddUpstream() {
  const t = useOperateTexts().upstreams
  const { common } = useTexts()
  const [, navigate] = useLocation()
  return (
    <>
      <PageHeader title={t.wizard.title} help="operate/browser#upstreams" text={t.wizard.text} />
      <Section flush>
        <h2 className="sr-only">{common.steps}</h2>
        <ol>
          <Wizard onSaved={(id) => navigate(LINKS.upstream(id))} />
        </ol>
      </Section>
    </>
  )
}

function useColumns(): Column<Figures>[] {
  const t = useOperateTexts().upstreams
  const { locale } = useLanguage()
  const number = useNumber()
  const may = useMay()
  const spend = useAdmin('usage', { group_by: 'upstream', from: daysAgo(30) }, { every: SPEND_EVERY_MS }).data?.data
  const times = (each: Figures['total_ms']) =>
    each && (
      <span className="whitespace-nowrap">
        {formatDuration(each.p50, locale)} / {formatDuration(each.p95, locale)}
      </span>
    )
  return [
    {
      id: 'name',
      line: 1,
      label: t.list.name,
      skeleton: 'w-32',
      cell: ({ id, name, kind, base_url }) => (
        <span className="flex min-w-0 flex-col">
          <span className="font-medium wrap-anywhere">{id}</span>
          <span className="text-sm font-normal text-muted wrap-anywhere">
            {base_url === null ? t.embedded : (name ?? kind)}
          </span>
        </span>
      ),
    },
    { id: 'health', line: 1, label: t.list.health, cell: ({ health }) => <HealthBadge health={health} /> },
    { id: 'hours', drop: 760, label: t.list.hours, skeleton: 'w-32', cell: ({ hours }) => <Hours hours={hours} /> },
    {
      id: 'requests',
      drop: 640,
      label: t.list.requests,
      align: 'right',
      cell: ({ id, requests }) => (
        <Link href={pageLink('requests', { upstream: id })} className="text-link underline">
          {number(requests)}
        </Link>
      ),
    },
    { id: 'errors', line: 2, label: t.list.errors, align: 'right', cell: (figures) => <ErrorRate figures={figures} /> },
    {
      id: 'first',
      drop: 860,
      label: t.list.firstToken,
      align: 'right',
      cell: ({ first_token_ms }) => times(first_token_ms),
    },
    { id: 'total', drop: 960, label: t.list.total, align: 'right', cell: ({ total_ms }) => times(total_ms) },
    ...(may('see_costs')
      ? [
          {
            id: 'spend',
            label: t.list.spend,
            line: 2 as const,
            usd: ({ id }: Figures) => spend?.find(({ upstream }) => upstream === id)?.upstream_cost_usd,
          },
        ]
      : []),
    {
      id: 'running',
      drop: 1040,
      label: t.list.running,
      align: 'right',
      cell: ({ running_requests: running }) => running,
    },
  ]
}
