// The keys of an upstream: why one is not used, and until when.
import { useState } from 'react'
import { IconButton } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/overlay.tsx'
import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyRow, type Tone } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { Duration, Time, useNumber } from '../../../ui/values.tsx'
import { LIVE, useAdmin } from '../../api/queries.ts'
import type { Row, Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton, useActItem } from '../../ui/act-button.tsx'
import { ActForm } from '../../ui/act-form.tsx'
import { ErrorRate, type Figures } from './health.tsx'

type KeyState = NonNullable<Figures['keys']>[number]
type StoredKey = Row<'upstreams/{upstream}/keys'>

const hasId = (key: StoredKey): key is StoredKey & { id: string } => key.id !== null

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
  const item = useActItem()
  const number = useNumber()
  const [isAdding, setAdding] = useState(false)
  const [replaced, setReplaced] = useState<StoredKey>()
  // In the order of the upstream's keys, as those that are stored.
  const upstreamId = { upstream: upstream?.id ?? '' }
  const stored =
    useAdmin('upstreams/{upstream}/keys', upstreamId, { every: LIVE, enabled: upstream !== undefined }).data?.data ?? []
  const rows = figures?.keys?.map((state, index) => ({ state, index, key: stored[index] }))
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
  const itemsOf = (key: StoredKey & { id: string }, shown: string) => [
    item('configuration', {
      label: words('upstream key replace').action,
      icon: 'refresh',
      onSelect: () => setReplaced(key),
    }),
    ...(stored.length > 1
      ? [item('configuration', { label: t.remove, icon: 'trash', danger: true, onSelect: () => remove(key.id, shown) })]
      : []),
  ]
  const columns: Column<KeyRow>[] = [
    {
      id: 'key',
      label: t.key,
      cell: ({ state, key }) => (
        <span className="flex min-w-0 flex-col">
          <code className="font-mono text-sm">{state.key}</code>
          {key?.note && <span className="text-sm font-normal text-muted wrap-anywhere">{key.note}</span>}
        </span>
      ),
    },
    { id: 'state', label: t.state, skeleton: 'w-48', cell: ({ state }) => <State state={state} /> },
    { id: 'added', label: t.addedAt, cell: ({ key }) => (key?.added_at ? <Added of={key} at={key.added_at} /> : null) },
    { id: 'calls', label: t.calls, align: 'right', cell: ({ key }) => key && number(key.requests) },
    { id: 'failed', label: t.failed, align: 'right', cell: ({ key }) => key && <ErrorRate figures={key} /> },
    { id: 'running', label: t.running, align: 'right', cell: ({ state }) => state.running_requests },
    { id: 'latency', label: t.latency, align: 'right', cell: ({ state }) => <Duration ms={state.latency_ms} /> },
    ...(isStored
      ? [
          {
            id: 'actions',
            label: t.actions,
            control: 'icon' as const,
            cell: ({ key, state }: KeyRow) =>
              key && hasId(key) ? (
                <Menu
                  trigger={<IconButton icon="more" label={t.actionsOf(state.key)} />}
                  items={itemsOf(key, state.key)}
                />
              ) : null,
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
      {isAdding && upstream && <NewKey upstream={upstream.id} onClose={() => setAdding(false)} />}
      {replaced && upstream && (
        <NewKey upstream={upstream.id} replaced={replaced} onClose={() => setReplaced(undefined)} />
      )}
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

type NewKeyProps = { upstream: string; replaced?: StoredKey; onClose(): void }

/** A second key, or one in the place of another. */
function NewKey({ upstream, replaced, onClose }: NewKeyProps) {
  const t = useOperateTexts().upstreams.keys
  const words = useWords()
  const shared = {
    fields: [
      { name: 'secret', label: t.secret, hint: t.secretHint, as: 'secret', missing: t.secretMissing },
      { name: 'note', label: t.note, hint: t.noteHint },
    ],
    onClose,
  } as const
  if (replaced?.id) {
    const question = words('upstream key replace', `...${replaced.last_four}`)
    const of = {
      method: 'POST',
      path: 'upstreams/{upstream}/keys/{key}/replace',
      params: { upstream, key: replaced.id },
    } as const
    return <ActForm {...of} {...shared} title={question.title} action={question.action} question={question} />
  }
  const question = words('upstream key add', upstream)
  const of = { method: 'POST', path: 'upstreams/{upstream}/keys', params: { upstream } } as const
  return <ActForm {...of} {...shared} title={question.title} action={question.action} question={question} />
}

function Added({ of: { added_by, added_by_name }, at }: { of: StoredKey; at: string }) {
  return (
    <span className="flex flex-col cards:items-end">
      <Time at={at} style="moment" />
      <span className="text-sm text-muted wrap-anywhere">{added_by_name ?? added_by}</span>
    </span>
  )
}
