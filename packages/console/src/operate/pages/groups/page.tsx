import { Link } from 'wouter'
import { DetailDrawer, NOTHING } from '../../../ui/loaded.tsx'
import { PageHeader, Section } from '../../../ui/page.tsx'
import { Badge, EmptyState } from '../../../ui/states.tsx'
import { List } from '../../../ui/table/list.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { useNumber } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { pageLink } from '../../links.ts'
import { ActButton } from '../../ui/act-button.tsx'
import { useOpenByAddress } from '../../ui/open-by-address.ts'
import { Lock } from '../models/source.tsx'
import { GroupDrawer, type GroupRow } from './form.tsx'
import { Matrix } from './matrix.tsx'

/** Which group is open. */
const OPEN = { group: '' }
const ALL = { limit: '1000' }

export default function GroupsPage() {
  const t = useOperateTexts().groups
  const [{ group: open }, setOpen] = useUrlState(OPEN)
  const [isCreating, setCreating] = useOpenByAddress('create', 'configuration')
  const query = useAdmin('groups', ALL)
  const { data } = query
  const columns = useGroupColumns()
  const subject = data?.data.find(({ id }) => id === open)
  const create = (
    <ActButton permission="configuration" variant="primary" icon="plus" onClick={() => setCreating(true)}>
      {t.create}
    </ActButton>
  )
  return (
    <>
      <PageHeader title={t.title} text={t.text} help="operate/browser#groups" actions={create} />
      <Section flush>
        <List
          label={t.title}
          broad
          columnsKept="groups"
          columns={columns}
          query={query}
          expected={3}
          onOpen={({ id }) => setOpen({ group: id }, { replace: false })}
          isSelected={({ id }) => id === open}
          empty={
            <EmptyState title={t.empty.title} action={create}>
              {t.empty.text}
            </EmptyState>
          }
        />
      </Section>
      <Matrix groups={data?.data.filter(({ invalid }) => invalid === null)} />
      {data && open !== '' && !subject && (
        <DetailDrawer title={open} query={NOTHING} none={{ title: t.gone }} onClose={() => setOpen({ group: '' })} />
      )}
      {subject && <GroupDrawer key={subject.id} subject={subject} onClose={() => setOpen({ group: '' })} />}
      {isCreating && <GroupDrawer subject={undefined} onClose={() => setCreating(false)} />}
    </>
  )
}

function useGroupColumns(): Column<GroupRow>[] {
  const t = useOperateTexts().groups
  const number = useNumber()
  const own = (prices: unknown): number => Object.keys((prices ?? {}) as object).length
  const choiceOf = ({ console, accounts, id }: GroupRow): string => {
    if (console === true || id === 'default') return t.choices.everyone
    const named = (accounts ?? []) as unknown[]
    return named.length > 0 ? t.choices.named(number(named.length)) : t.choices.operators
  }
  return [
    {
      id: 'group',
      label: t.columns.group,
      skeleton: 'w-32',
      cell: (group) => (
        <span className="flex flex-col items-start">
          <span className="font-mono text-sm">{group.id}</span>
          <Lock entry={group} />
        </span>
      ),
    },
    {
      id: 'multiplier',
      label: t.columns.multiplier,
      align: 'right',
      cell: ({ multiplier }) => <span className="tabular-nums">× {String(multiplier ?? 1)}</span>,
    },
    {
      id: 'models',
      label: t.columns.models,
      align: 'right',
      cell: ({ models, models_offered }) =>
        (models as string[] | null)?.includes('*') ? t.allModels(number(models_offered)) : number(models_offered),
    },
    {
      id: 'own',
      drop: 700,
      label: t.columns.own,
      align: 'right',
      cell: ({ prices }) => (own(prices) === 0 ? null : number(own(prices))),
    },
    {
      id: 'keys',
      label: t.columns.keys,
      align: 'right',
      cell: ({ id, keys }) => (
        <Link href={pageLink('keys', { group: id })} className="text-link underline">
          {number(keys)}
        </Link>
      ),
    },
    { id: 'choice', drop: 820, label: t.columns.choice, cell: choiceOf },
    {
      id: 'state',
      label: t.columns.state,
      cell: ({ invalid, shadowed }) =>
        invalid ? <Badge tone="bad">{t.invalid}</Badge> : shadowed ? <Badge tone="warn">{t.shadowed}</Badge> : null,
    },
  ]
}
