// Audits of the ledger: start one, follow it, and read what the last ones found.

import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyRow, type Tone } from '../../../ui/states.tsx'
import { List } from '../../../ui/table/list.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Bar, Duration, Time, useNumber } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import type { Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'

type Run = Schemas['LedgerAuditRun']

const RUNS = '5'
const [RUNNING_MS, IDLE_MS] = [1_000, 15_000]
const TONES: Readonly<Record<Run['state'], Tone>> = {
  running: 'accent',
  passed: 'good',
  failed: 'bad',
  stopped: 'warn',
}
/** The API lists so many of each kind. */
const MOST_IDS = 100

export function AuditSection() {
  const t = useOperateTexts().ledger.audit
  const act = useAct()
  const words = useWords()
  const columns = useColumns()
  const query = useRuns()
  const isRunning = query.data?.data.some(({ state }) => state === 'running') ?? false
  const start = async () => {
    await act({
      method: 'POST',
      path: 'ledger/audits',
      ...words('ledger audit start'),
      reason: 'none',
      hideChanges: true,
    })
    await query.refetch()
  }
  return (
    <Section
      flush
      title={t.title}
      text={t.text}
      actions={
        <ActButton permission="money" disabled={isRunning} onClick={start}>
          {words('ledger audit start').action}
        </ActButton>
      }
    >
      <List
        label={t.runs}
        columns={columns}
        query={query}
        expected={Number(RUNS)}
        empty={<EmptyRow>{t.empty}</EmptyRow>}
      />
    </Section>
  )
}

/** Read often while one runs. */
function useRuns() {
  const slow = useAdmin('ledger/audits', { limit: RUNS }, { every: IDLE_MS })
  const isRunning = slow.data?.data.some(({ state }) => state === 'running') ?? false
  // The same query: the shorter interval of the two counts.
  useAdmin('ledger/audits', { limit: RUNS }, isRunning ? { every: RUNNING_MS } : {})
  return slow
}

function useColumns(): Column<Run>[] {
  const t = useOperateTexts().ledger.audit
  const number = useNumber()
  return [
    {
      id: 'started',
      label: t.started_at,
      cell: ({ started_at: at, started_by: by, started_by_name: name }) => (
        <span className="flex flex-col">
          <Time at={at} />
          <span className="text-sm font-normal text-muted">{by.startsWith('job/') ? t.nightly : (name ?? by)}</span>
        </span>
      ),
    },
    { id: 'state', label: t.state, cell: (run) => <State run={run} />, skeleton: 'w-32' },
    {
      id: 'checked',
      label: t.checked,
      cell: ({ result }) =>
        result && (
          <span className="flex flex-col">
            {t.counts(number(result.requests), number(result.transfers))}
            {result.last_sealed_month !== null && (
              <span className="text-sm text-muted">
                {t.sealed(result.sealed_months, result.last_sealed_month)} ·{' '}
                {result.read_from === null ? t.read.all : t.read.later}
              </span>
            )}
          </span>
        ),
    },
    {
      id: 'took',
      label: t.took,
      align: 'right',
      cell: ({ started_at: start, ended_at: end }) => end && <Duration ms={Date.parse(end) - Date.parse(start)} />,
    },
  ]
}

function State({ run }: { run: Run }) {
  const t = useOperateTexts().ledger.audit
  const { state, step, steps } = run
  const progress = steps === 0 ? t.waiting : t.progress(step, steps)
  return (
    <span className="inline-flex min-w-32 flex-col gap-1 cards:items-end">
      <span>
        <Badge tone={TONES[state]}>{t.states[state]}</Badge>
      </span>
      {state === 'running' && (
        <span role="status" className="text-sm text-muted">
          <Bar tone="accent" share={steps === 0 ? 0 : step / steps} label={progress} />
          {progress}
        </span>
      )}
      {run.result && <Problems result={run.result} />}
    </span>
  )
}

function Problems({ result }: { result: NonNullable<Run['result']> }) {
  const t = useOperateTexts().ledger.audit
  const found = Object.entries(t.problems).flatMap(([name, label]) => {
    const ids = result[name as keyof typeof t.problems]
    return ids.length === 0 ? [] : [{ name, label, ids }]
  })
  if (found.length === 0) return null
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {found.map(({ name, label, ids }) => (
        <li key={name} className="wrap-anywhere">
          {label}: {t.wrong(ids.length, ids.length === MOST_IDS)}{' '}
          <span className="text-muted">({ids.slice(0, 5).join(', ')})</span>
        </li>
      ))}
    </ul>
  )
}
