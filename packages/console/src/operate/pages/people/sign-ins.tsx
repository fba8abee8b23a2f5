import { browserName } from '../../../pages/settings/browser-name.ts'
import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { Time } from '../../../ui/values.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { Filters } from '../../ui/filters.tsx'
import { AdminList } from '../../ui/list.tsx'

type SignInRow = Row<'audit-log'>

const FILTERS = { actor: '' }

/** From the audit log, which keeps them. */
export function SignInsSection() {
  const t = useOperateTexts().people.signIns
  const [{ actor }] = useUrlState(FILTERS)
  return (
    <>
      <p className="mb-3 text-muted">{t.text}</p>
      <div className="mb-4">
        <Filters fields={[{ name: 'actor', label: t.person, placeholder: 'ada@example.com' }]} />
      </div>
      <Section flush>
        <AdminList
          path="audit-log"
          params={{ action: 'sign-in', actor, limit: '50' }}
          label={t.label}
          columns={useColumns()}
          empty={<EmptyState title={t.empty}>{t.emptyText}</EmptyState>}
        />
      </Section>
    </>
  )
}

const textIn = ({ after }: SignInRow, name: string): string | undefined => {
  const value = after?.[name]
  return typeof value === 'string' ? value : undefined
}

function useColumns(): Column<SignInRow>[] {
  const t = useOperateTexts().people.signIns
  return [
    { id: 'at', label: t.at, skeleton: 'w-32', cell: ({ at }) => <Time at={at} /> },
    {
      id: 'who',
      label: t.who,
      skeleton: 'w-40',
      cell: ({ actor_name: name }) => name ?? <span className="text-muted">{t.unknown}</span>,
    },
    {
      id: 'result',
      label: t.result,
      cell: (row) =>
        row.action === 'sign-in failed' ? (
          <Badge tone="bad">{t.failed}</Badge>
        ) : (
          <span className="flex flex-col">
            <Badge tone={row.action === 'sign-in' ? 'plain' : 'good'}>
              {row.action === 'sign-in' ? t.changed : t.succeeded}
            </Badge>
            {textIn(row, 'missing_groups_claim') && <span className="text-sm text-muted">{t.noGroups}</span>}
          </span>
        ),
    },
    {
      id: 'how',
      label: t.how,
      cell: (row) => {
        const by = textIn(row, 'by')
        if (by === undefined) return null
        return `${t.by[by] ?? by}${row.after?.second_factor === true ? ` ${t.withCode}` : ''}`
      },
    },
    {
      id: 'address',
      drop: 740,
      label: t.address,
      cell: ({ address }) => (address ? <span className="font-mono text-sm">{address}</span> : null),
    },
    {
      id: 'browser',
      drop: 860,
      label: t.browser,
      cell: (row) => {
        const agent = textIn(row, 'browser')
        return agent === undefined ? null : <span title={agent}>{browserName(agent) ?? agent.slice(0, 40)}</span>
      },
    },
  ]
}
