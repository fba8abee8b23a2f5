// The keys of an upstream: why one is not used, and until when.
import { useState } from 'react'
import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyRow, type Tone } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Duration, Time } from '../../../ui/values.tsx'
import type { Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { ActForm } from '../../ui/act-form.tsx'
import type { Figures } from './health.tsx'

type KeyState = NonNullable<Figures['keys']>[number]
type StoredKey = { id: string | null; last_four: string; added_at: string | null }

const TONES: Readonly<Record<KeyState['state'], Tone>> = {
  ready: 'good',
  cooling: 'warn',
  open: 'bad',
  probing: 'warn',
  rejected: 'bad',
}

type Props = { upstream: Schemas['Upstream'] | undefined; figures: Figures | undefined }

export function UpstreamKeys({ upstream, figures }: Props) {
  const t = useOperateTexts().upstreams.keys
  const act = useAct()
  const words = useWords()
  const [isAdding, setAdding] = useState(false)
  // In the order of the upstream's keys, as those that are stored.
  const stored = (Array.isArray(upstream?.keys) ? upstream.keys : []) as StoredKey[]
  const rows = figures?.keys?.map((state, index) => ({ state, index, id: stored[index]?.id ?? null }))
  const isStored = upstream !== undefined && !upstream.read_only
  const remove = (id: string, shown: string) =>
    upstream &&
    act({
      method: 'DELETE',
      path: 'upstreams/{upstream}/keys/{key}',
      params: { upstream: upstream.id, key: id },
      title: t.removeTitle(shown, upstream.id),
      text: t.removeText,
      action: t.remove,
      done: t.removed,
      danger: true,
      hideChanges: true,
    })
  type KeyRow = NonNullable<typeof rows>[number]
  const columns: Column<KeyRow>[] = [
    { id: 'key', label: t.key, cell: ({ state }) => <code className="font-mono text-sm">{state.key}</code> },
    { id: 'state', label: t.state, skeleton: 'w-48', cell: ({ state }) => <State state={state} /> },
    { id: 'running', label: t.running, align: 'right', cell: ({ state }) => state.running_requests },
    { id: 'latency', label: t.latency, align: 'right', cell: ({ state }) => <Duration ms={state.latency_ms} /> },
    ...(isStored && stored.length > 1
      ? [
          {
            id: 'remove',
            label: t.remove,
            control: 'button' as const,
            cell: ({ id, state }: KeyRow) =>
              id && (
                <ActButton permission="configuration" small onClick={() => remove(id, state.key)}>
                  {t.remove}
                </ActButton>
              ),
          },
        ]
      : []),
  ]
  return (
    <Section
      flush
      title={t.title}
      actions={
        isStored && (
          <ActButton permission="configuration" small icon="plus" onClick={() => setAdding(true)}>
            {words('upstream key add').action}
          </ActButton>
        )
      }
    >
      <Table
        label={t.title}
        columns={columns}
        rows={rows}
        rowKey={({ index }) => String(index)}
        expected={1}
        empty={<EmptyRow>{t.empty}</EmptyRow>}
      />
      {isAdding && upstream && <AddKey upstream={upstream.id} onClose={() => setAdding(false)} />}
    </Section>
  )
}

function State({ state: { state, reason, until, cooling } }: { state: KeyState }) {
  const t = useOperateTexts().upstreams.keys
  return (
    <span className="inline-flex flex-col gap-0.5 cards:items-end">
      <span>
        <Badge tone={TONES[state]}>{t.states[state]}</Badge>{' '}
        {state !== 'ready' && <span className="text-sm">{t.reasons[state] ?? reason}</span>}{' '}
        {until && (
          <span className="text-sm text-muted">
            {t.until} <Time at={until} style="time" />
          </span>
        )}
      </span>
      {cooling.map(({ model, until }) => (
        <span key={model} className="text-sm text-muted">
          {t.model(model)} {t.until} <Time at={until} style="time" />
        </span>
      ))}
    </span>
  )
}

function AddKey({ upstream, onClose }: { upstream: string; onClose(): void }) {
  const t = useOperateTexts().upstreams.keys
  const question = useWords()('upstream key add', upstream)
  return (
    <ActForm
      method="POST"
      path="upstreams/{upstream}/keys"
      params={{ upstream }}
      title={question.title}
      action={question.action}
      fields={[{ name: 'secret', label: t.secret, hint: t.secretHint, as: 'secret', missing: t.secretMissing }]}
      question={{ ...question, hideChanges: true }}
      onClose={onClose}
    />
  )
}
