import { useState } from 'react'
import { ButtonLink } from '../../../ui/button.tsx'
import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyRow, ErrorState, useErrorMessage } from '../../../ui/states.tsx'
import { type Column, Table } from '../../../ui/table.tsx'
import { callAdmin } from '../../api/client.ts'
import { useAdmin } from '../../api/queries.ts'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { pathOf } from '../../page-ids.ts'
import { ActButton } from '../../ui/act-button.tsx'

type Target = Row<'alerts/targets'>
/** undefined: it runs. */
type Tested = { error: string | null } | undefined

export function Targets() {
  const t = useOperateTexts().alerts
  const messageOf = useErrorMessage()
  const { data, error, refetch } = useAdmin('alerts/targets')
  const [tested, setTested] = useState<ReadonlyMap<string, Tested>>(new Map())
  const note = (target: string, result: Tested) => setTested((known) => new Map([...known, [target, result]]))
  const test = async (target: string) => {
    note(target, undefined)
    const result = await callAdmin({ method: 'POST', path: 'alerts/test', body: { target } })
    note(target, { error: result.ok ? (result.value.targets[0]?.error ?? null) : messageOf(result.error) })
  }
  const columns: readonly Column<Target>[] = [
    {
      id: 'target',
      label: t.columns.target,
      cell: ({ id }) => <span className="wrap-anywhere">{id}</span>,
      skeleton: 'w-56',
    },
    {
      id: 'tested',
      label: t.columns.tested,
      cell: ({ id }) => <TestResult result={tested.get(id)} />,
    },
    {
      id: 'actions',
      label: t.columns.actions,
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
  ]
  return (
    <Section
      title={t.targets.title}
      text={t.targets.text}
      actions={<ButtonLink href={pathOf('configuration')}>{t.targets.settings}</ButtonLink>}
      flush
    >
      {error && !data ? (
        <ErrorState error={error} retry={refetch} />
      ) : (
        <Table
          label={t.targets.title}
          columns={columns}
          rows={data?.data}
          rowKey={({ id }) => id}
          expected={1}
          empty={<EmptyRow>{t.targets.empty}</EmptyRow>}
        />
      )}
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
