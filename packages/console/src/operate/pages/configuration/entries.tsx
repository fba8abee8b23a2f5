import { Link } from 'wouter'
import { Section } from '../../../ui/page.tsx'
import { Badge, EmptyState } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS, pageLink } from '../../links.ts'
import { Filters } from '../../ui/filters.tsx'
import { AdminList } from '../../ui/list.tsx'
import { Source } from './source.tsx'

type Entry = Row<'configuration/entries'>

/** The page where it can be seen and changed. */
const hrefOf = ({ kind, name }: Entry): string =>
  kind === 'setting' ? pageLink('configuration', { tab: 'settings', find: name }) : LINKS[kind](name)

/** Every entry of the configuration, wherever it comes from. */
export function Entries() {
  const t = useOperateTexts().configuration
  const [{ kind, from, state }] = useUrlState({ kind: '', from: '', state: '' })
  const filters = [
    { name: 'kind', label: t.entries.kind, options: optionsOf(t.kinds) },
    {
      name: 'from',
      label: t.entries.source,
      options: (['file', 'environment', 'stored', 'built-in'] as const).map((value) => ({
        value,
        label: t.source[value],
      })),
    },
    {
      name: 'state',
      label: t.entries.state,
      options: [
        { value: 'in force', label: t.entries.inForce },
        { value: 'invalid', label: t.entries.invalid },
        { value: 'shadowing', label: t.entries.shadowing },
      ],
    },
  ]
  const columns: Column<Entry>[] = [
    {
      id: 'name',
      label: t.entries.name,
      cell: (entry) => (
        <Link href={hrefOf(entry)} className="font-mono text-sm text-link wrap-anywhere hover:underline">
          {entry.name}
        </Link>
      ),
      skeleton: 'w-40',
    },
    { id: 'kind', label: t.entries.kind, cell: ({ kind: each }) => t.kinds[each], skeleton: 'w-16' },
    { id: 'source', label: t.entries.source, cell: ({ source }) => <Source source={source} />, skeleton: 'w-32' },
    { id: 'state', label: t.entries.state, cell: (entry) => <State entry={entry} />, skeleton: 'w-16' },
  ]
  return (
    <>
      <div className="mb-4">
        <Filters fields={filters} />
      </div>
      <Section flush>
        <AdminList
          path="configuration/entries"
          params={{ kind, from, state }}
          label={t.entries.label}
          columns={columns}
          empty={<EmptyState title={t.entries.empty}>{t.entries.emptyText}</EmptyState>}
          narrow
        />
      </Section>
    </>
  )
}

function State({ entry }: { entry: Entry }) {
  const t = useOperateTexts().configuration.entries
  if (entry.state === 'invalid')
    return (
      <span className="flex min-w-0 flex-col items-start gap-1">
        <Badge tone="bad">{t.invalid}</Badge>
        <span className="text-sm text-bad wrap-anywhere">{entry.mistakes.join(' ')}</span>
      </span>
    )
  return (
    <span className="flex min-w-0 flex-col items-start gap-1">
      <Badge tone="good">{t.inForce}</Badge>
      {entry.shadowed_revision !== null && (
        <span className="text-sm text-muted">{t.shadows(entry.shadowed_revision)}</span>
      )}
    </span>
  )
}

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))
