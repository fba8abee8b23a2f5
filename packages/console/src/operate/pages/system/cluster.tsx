// The nodes that share the database, and what they do in the background.

import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyRow } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Duration, Time } from '../../../ui/values.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { AdminList } from '../../ui/list.tsx'

const EVERY_MS = 15_000

export function Nodes() {
  const t = useOperateTexts().system.nodes
  const columns: Column<Row<'nodes'>>[] = [
    { id: 'node', label: t.node, cell: ({ id }) => id, skeleton: 'w-8' },
    { id: 'state', label: t.state, cell: (node) => <NodeState node={node} />, skeleton: 'w-16' },
    { id: 'version', label: t.version, cell: ({ version }) => version, skeleton: 'w-16' },
    { id: 'revision', label: t.revision, cell: ({ configuration }) => configuration.revision, skeleton: 'w-8' },
    {
      id: 'drift',
      label: t.drift,
      cell: ({ drift }) =>
        drift ? (
          <span title={t.driftText}>
            <Badge tone="warn">{t.drift}</Badge>
          </span>
        ) : (
          <span className="text-muted">{t.noDrift}</span>
        ),
      skeleton: 'w-12',
    },
    {
      id: 'started',
      drop: 860,
      label: t.started,
      cell: ({ started_at: at }) => (at === null ? null : <Time at={at} />),
      skeleton: 'w-32',
    },
    {
      id: 'seen',
      drop: 740,
      label: t.seen,
      cell: ({ renewed_at: at }) => <Time at={at} style="relative" />,
      skeleton: 'w-20',
    },
  ]
  return (
    <Section title={t.title} text={t.text} flush>
      <AdminList
        path="nodes"
        label={t.title}
        columns={columns}
        every={EVERY_MS}
        expected={1}
        empty={<EmptyRow>{t.empty}</EmptyRow>}
      />
    </Section>
  )
}

function NodeState({ node: { ready, faults } }: { node: Row<'nodes'> }) {
  const t = useOperateTexts().system.nodes
  if (ready === null) return <Badge>{t.unknown}</Badge>
  return (
    <span className="flex min-w-0 flex-col items-start gap-1">
      <Badge tone={ready ? 'good' : 'bad'}>{ready ? t.ready : t.notReady}</Badge>
      {faults.map((fault) => (
        <span key={fault} className="text-sm text-bad wrap-anywhere">
          {fault}
        </span>
      ))}
    </span>
  )
}

export function Jobs() {
  const t = useOperateTexts().system.jobs
  const columns: Column<Row<'jobs'>>[] = [
    { id: 'job', label: t.job, cell: ({ id }) => <code className="font-mono text-sm wrap-anywhere">{id}</code> },
    {
      id: 'state',
      label: t.state,
      cell: ({ failing }) => <Badge tone={failing ? 'bad' : 'good'}>{failing ? t.failing : t.ok}</Badge>,
    },
    { id: 'last', label: t.last, cell: ({ last_run_at: at }) => <Time at={at} style="relative" /> },
    { id: 'took', drop: 860, label: t.took, align: 'right', cell: ({ duration_ms: ms }) => <Duration ms={ms} /> },
    { id: 'next', drop: 760, label: t.next, cell: ({ next_run_at: at }) => <Time at={at} /> },
    {
      id: 'error',
      label: t.error,
      cell: ({ last_error: error, last_error_at: at }) =>
        error === null ? null : (
          <span className="wrap-anywhere">
            {at !== null && <Time at={at} />} {error}
          </span>
        ),
    },
  ]
  return (
    <Section title={t.title} text={t.text} flush>
      <AdminList
        path="jobs"
        label={t.title}
        columns={columns}
        every={EVERY_MS}
        expected={12}
        empty={<EmptyRow>{t.empty}</EmptyRow>}
      />
    </Section>
  )
}
