import { useState } from 'react'
import { ButtonLink, IconButton } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/overlay.tsx'
import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyRow, useErrorMessage } from '../../../ui/states.tsx'
import { List } from '../../../ui/table/list.tsx'
import type { Column } from '../../../ui/table.tsx'
import { callAdmin } from '../../api/client.ts'
import { useAdmin } from '../../api/queries.ts'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { pathOf } from '../../page-ids.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton, useActItem } from '../../ui/act-button.tsx'
import { TargetForm } from './target-form.tsx'

type Target = Row<'alerts/targets'>
type Editing = { kind: 'webhook' | 'email'; id?: string }
/** undefined: it runs. */
type Tested = { error: string | null } | undefined

export function Targets() {
  const t = useOperateTexts().alerts
  const messageOf = useErrorMessage()
  const query = useAdmin('alerts/targets')
  const [tested, setTested] = useState<ReadonlyMap<string, Tested>>(new Map())
  const note = (target: string, result: Tested) => setTested((known) => new Map([...known, [target, result]]))
  const test = async (target: string) => {
    note(target, undefined)
    const result = await callAdmin({ method: 'POST', path: 'alerts/test', body: { target } })
    note(target, { error: result.ok ? (result.value.targets[0]?.error ?? null) : messageOf(result.error) })
  }
  const act = useAct()
  const words = useWords()
  const item = useActItem()
  const [editing, setEditing] = useState<Editing>()
  const remove = (id: string) =>
    act({
      method: 'DELETE',
      path: 'alerts/targets/{target}',
      params: { target: id },
      ...words('alert target remove', id),
      danger: true,
      hideChanges: true,
    })
  const itemsOf = ({ id, kind }: Target) => [
    item('configuration', {
      label: words('alert target replace').action,
      icon: 'edit',
      onSelect: () => kind && setEditing({ kind, id }),
    }),
    item('configuration', {
      label: words('alert target remove').action,
      icon: 'trash',
      danger: true,
      onSelect: () => void remove(id),
    }),
  ]
  const columns: readonly Column<Target>[] = [
    {
      id: 'target',
      label: t.columns.target,
      cell: ({ id, place }) => (
        <span className="flex min-w-0 flex-col wrap-anywhere">
          {id}
          {place !== null && <span className="text-sm font-normal text-muted">{t.targets.place(place)}</span>}
        </span>
      ),
      skeleton: 'w-56',
    },
    {
      id: 'tested',
      label: t.columns.tested,
      cell: ({ id }) => <TestResult result={tested.get(id)} />,
    },
    {
      id: 'test',
      label: t.targets.test,
      control: 'button',
      cell: ({ id }) => (
        <ActButton
          small
          permission="configuration"
          aria-label={t.targets.testOf(id)}
          busy={tested.has(id) && tested.get(id) === undefined}
          onClick={() => void test(id)}
        >
          {t.targets.test}
        </ActButton>
      ),
    },
    {
      id: 'actions',
      label: t.columns.actions,
      control: 'icon',
      cell: (target) =>
        target.read_only ? null : (
          <Menu trigger={<IconButton icon="more" label={t.targets.manage(target.id)} />} items={itemsOf(target)} />
        ),
    },
  ]
  return (
    <Section
      title={t.targets.title}
      text={t.targets.text}
      actions={
        <>
          <ActButton permission="configuration" small icon="plus" onClick={() => setEditing({ kind: 'webhook' })}>
            {t.targets.addWebhook}
          </ActButton>
          <ActButton permission="configuration" small icon="plus" onClick={() => setEditing({ kind: 'email' })}>
            {t.targets.addEmail}
          </ActButton>
          <ButtonLink small href={`${pathOf('configuration')}?tab=settings#alerts`}>
            {t.targets.settings}
          </ButtonLink>
        </>
      }
      flush
    >
      <List
        label={t.targets.title}
        columns={columns}
        query={query}
        expected={1}
        empty={<EmptyRow>{t.targets.empty}</EmptyRow>}
      />
      {editing && <TargetForm {...editing} onClose={() => setEditing(undefined)} />}
    </Section>
  )
}

function TestResult({ result }: { result: Tested }) {
  const t = useOperateTexts().alerts.targets
  return (
    <span role="status">
      {result && (
        <Badge tone={result.error === null ? 'good' : 'bad'}>
          {result.error === null ? t.ok : <span className="whitespace-normal">{t.failed(result.error)}</span>}
        </Badge>
      )}
    </span>
  )
}
