import { Segments } from '../../../ui/form/choices.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { Time } from '../../../ui/values.tsx'
import { useAccountChoices, useModelChoices, useUpstreamChoices } from '../../api/choices.ts'
import { LIVE } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { Filters } from '../../ui/filters.tsx'
import { AdminList, CsvLink } from '../../ui/list.tsx'
import { AccountLink } from '../requests/columns.tsx'
import { Age, isOpen, type ShownTask, StateBadge } from './state.tsx'
import { TaskDrawer } from './task.tsx'

const FILTERS = { view: 'open', account: '', model: '', upstream: '', task: '', after: '' }
const VIEWS = ['open', 'failed', 'all'] as const

export default function TasksPage() {
  const t = useOperateTexts().tasks
  const [filters, setFilters] = useUrlState(FILTERS)
  const { account, model, upstream } = filters
  const view = VIEWS.find((each) => each === filters.view) ?? 'open'
  const params = { account, model, upstream, state: view === 'all' ? '' : view }
  const columns = useColumns()
  return (
    <>
      <PageHeader title={t.title} text={t.text} help="operate/browser#tasks" />
      <div className="mb-4">
        <Filters
          fields={[
            { name: 'account', label: t.account, useChoices: useAccountChoices },
            { name: 'model', label: t.model, useChoices: useModelChoices },
            { name: 'upstream', label: t.upstream, useChoices: useUpstreamChoices },
          ]}
        />
      </div>
      <Section
        flush
        title={t.title}
        actions={
          <>
            <Segments
              label={t.view}
              value={view}
              onChange={(value) => setFilters({ view: value, after: '' })}
              options={VIEWS.map((value) => ({ value, label: t.views[value] }))}
            />
            <CsvLink path="tasks" params={params} />
          </>
        }
      >
        <AdminList
          path="tasks"
          params={params}
          label={t.title}
          columns={columns}
          every={LIVE}
          onOpen={(row) => setFilters({ task: row.id }, { replace: false })}
          isSelected={(row) => row.id === filters.task}
          empty={<EmptyState title={t.empty[view]}>{t.emptyText}</EmptyState>}
        />
      </Section>
      <TaskDrawer id={filters.task} onClose={() => setFilters({ task: '' })} />
    </>
  )
}

function useColumns(): Column<ShownTask>[] {
  const t = useOperateTexts().tasks
  return [
    { id: 'created', line: 2, label: t.created, cell: (row) => <Time at={row.created_at} /> },
    {
      id: 'account',
      line: 1,
      label: t.account,
      shrinks: true,
      cell: (row) => <AccountLink id={row.account_id} name={row.account} />,
    },
    { id: 'model', line: 1, label: t.model, shrinks: true, cell: (row) => <span title={row.model}>{row.model}</span> },
    {
      id: 'upstream',
      drop: 760,
      label: t.upstream,
      shrinks: true,
      cell: (row) => <span title={row.upstream}>{row.upstream}</span>,
    },
    { id: 'age', drop: 680, label: t.age, cell: (row) => <Age task={row} /> },
    { id: 'held', drop: 840, label: t.held, usd: (row) => (isOpen(row) ? row.held_usd : null) },
    { id: 'state', line: 2, label: t.state, cell: (row) => <StateBadge state={row.state} /> },
  ]
}
