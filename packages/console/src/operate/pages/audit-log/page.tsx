import { useMemo } from 'react'
import { urlOf } from '../../../api/client.ts'
import { ButtonAnchor } from '../../../ui/button.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { Time } from '../../../ui/values.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { type FilterField, Filters } from '../../ui/filters.tsx'
import { AdminList, CsvLink } from '../../ui/list.tsx'
import { RowDrawer, SentenceWithReason } from './row.tsx'
import type { AuditRow } from './sentence.ts'

const FILTERS = { actor: '', action: '', object: '', since: '', from: '', to: '' }
const STATE = { ...FILTERS, row: '', after: '' }

const MINUTE_MS = 60_000
const PERIODS = { '1h': 60, '1d': 1_440, '7d': 10_080, '30d': 43_200 } as const
type Period = keyof typeof PERIODS
const isPeriod = (text: string): text is Period => Object.hasOwn(PERIODS, text)

export default function AuditLogPage() {
  const t = useOperateTexts().auditLog
  const [{ row, after: _, since, ...rest }, setState] = useUrlState(STATE)
  // The period begins where it did when it was chosen: its pages must not move.
  const begin = useMemo(() => (isPeriod(since) ? beginOf(since) : undefined), [since])
  const params = { ...rest, from: begin ?? rest.from }
  const isFiltered = Object.values(params).some((value) => value !== '')
  return (
    <>
      <PageHeader
        title={t.title}
        text={t.text}
        help="operate/browser#audit-log"
        actions={
          <>
            <ButtonAnchor icon="download" href={urlOf('admin', 'audit-log', { ...params, format: 'jsonl' })} download>
              {t.downloadJson}
            </ButtonAnchor>
            <CsvLink path="audit-log" params={params} />
          </>
        }
      />
      <div className="mb-4">
        <Filters fields={fieldsOf(t)} />
      </div>
      <Section flush>
        <AdminList
          path="audit-log"
          params={{ ...params, limit: '50' }}
          label={t.label}
          columns={columnsOf(t)}
          onOpen={({ id }) => setState({ row: id }, { replace: false })}
          isSelected={({ id }) => id === row}
          empty={
            <EmptyState title={isFiltered ? t.emptyFiltered : t.empty}>
              {isFiltered ? t.emptyFilteredText : t.emptyText}
            </EmptyState>
          }
        />
      </Section>
      <RowDrawer
        id={row}
        onClose={() => setState({ row: '' })}
        onFilter={(filter) => setState({ ...FILTERS, ...filter, row: '', after: '' }, { replace: false })}
      />
    </>
  )
}

const beginOf = (period: Period): string =>
  new Date((Math.floor(Date.now() / MINUTE_MS) - PERIODS[period]) * MINUTE_MS).toISOString()

type Texts = ReturnType<typeof useOperateTexts>['auditLog']

const fieldsOf = (t: Texts): FilterField[] => [
  { name: 'actor', label: t.filters.actor, placeholder: t.filters.actorHint },
  {
    name: 'action',
    label: t.filters.action,
    options: Object.entries(t.nouns).map(([value, label]) => ({ value, label })),
  },
  { name: 'object', label: t.filters.object, placeholder: t.filters.objectHint },
  {
    name: 'since',
    label: t.filters.since,
    options: (Object.keys(PERIODS) as Period[]).map((value) => ({ value, label: t.periods[value] })),
  },
  { name: 'from', label: t.filters.from, placeholder: t.filters.timeHint },
  { name: 'to', label: t.filters.to, placeholder: t.filters.timeHint },
]

const columnsOf = (t: Texts): Column<AuditRow>[] => [
  { id: 'what', label: t.columns.what, cell: (row) => <SentenceWithReason row={row} />, skeleton: 'w-96' },
  {
    id: 'from',
    label: t.columns.from,
    cell: (row) => (row.address ? <span className="font-mono text-sm">{row.address}</span> : null),
  },
  { id: 'at', label: t.columns.at, cell: ({ at }) => <Time at={at} />, skeleton: 'w-32' },
]
