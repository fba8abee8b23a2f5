// Who changed the stored configuration, when and why; what differs between any two revisions, and the way back.

import { useLanguage } from '../../../i18n/language.tsx'
import { Button } from '../../../ui/button.tsx'
import { SelectField } from '../../../ui/form/field.tsx'
import { DetailDrawer } from '../../../ui/loaded.tsx'
import { Facts, Part, Section } from '../../../ui/page.tsx'
import { EmptyState, Skeleton } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { useUrlState } from '../../../ui/url-state.ts'
import { formatTime, Time } from '../../../ui/values.tsx'
import { useAdmin } from '../../api/queries.ts'
import type { Output, Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useDid } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { Diff } from '../../ui/diff.tsx'
import { AdminList } from '../../ui/list.tsx'
import { useRestoring } from './restoring.ts'

type Revision = Row<'configuration/revisions'>
type Shown = Output<'GET', 'configuration/revisions/{revision}'>

export function Revisions() {
  const t = useOperateTexts().configuration.revisions
  const sentence = useSentence()
  const who = useWho()
  const [{ revision }, setUrl] = useUrlState({ revision: '', compare: '' })
  const columns: Column<Revision>[] = [
    { id: 'number', line: 1, label: t.number, cell: ({ id }) => id, skeleton: 'w-8' },
    { id: 'at', line: 2, label: t.at, cell: ({ at }) => <Time at={at} />, skeleton: 'w-32' },
    {
      id: 'who',
      line: 2,
      label: t.who,
      shrinks: true,
      least: 20,
      cell: (row) => <span title={who(row)}>{who(row)}</span>,
      skeleton: 'w-40',
    },
    {
      id: 'what',
      line: 1,
      label: t.what,
      cell: (row) => <span className="wrap-anywhere">{sentence(row)}</span>,
      skeleton: 'w-56',
    },
    {
      id: 'reason',
      drop: 800,
      label: t.reason,
      cell: ({ reason }) => (reason === '' ? null : reason),
      skeleton: 'w-24',
    },
  ]
  return (
    <>
      <Section flush>
        <AdminList
          path="configuration/revisions"
          label={t.label}
          columns={columns}
          onOpen={({ id }) => setUrl({ revision: id, compare: '' })}
          isSelected={({ id }) => id === revision}
          empty={<EmptyState title={t.empty}>{t.emptyText}</EmptyState>}
        />
      </Section>
      <Button small variant="quiet" onClick={() => setUrl({ revision: '0', compare: '' })}>
        {t.beginning}
      </Button>
      {revision !== '' && (
        <RevisionDrawer key={revision} id={revision} onClose={() => setUrl({ revision: '', compare: '' })} />
      )}
    </>
  )
}

const NEWEST = { limit: '100' }
const KINDS = ['upstream', 'model', 'group', 'setting'] as const

/** "Created setting console.name, retention.media; changed model gpt-x" */
function useSentence(): (revision: Revision) => string {
  const { revisions: t, kinds } = useOperateTexts().configuration
  return ({ changes, changed, action }) => {
    const parts = (['created', 'changed', 'deleted'] as const).flatMap((which) => {
      const named = KINDS.flatMap((kind) => {
        const ids = changes.filter((each) => each.change === which && each.kind === kind).map(({ id }) => id)
        return ids.length === 0 ? [] : [`${kinds[kind].toLowerCase()} ${ids.join(', ')}`]
      })
      return named.length === 0 ? [] : [t[which](named.join(', '))]
    })
    if (changed > changes.length) parts.push(t.others(changed - changes.length))
    const text = parts.length === 0 ? action : parts.join('; ')
    return text.charAt(0).toUpperCase() + text.slice(1)
  }
}

function useWho(): (revision: Pick<Shown, 'actor' | 'actor_name'>) => string {
  const t = useOperateTexts().configuration.revisions
  return ({ actor, actor_name: name }) =>
    name ?? (actor === 'command-line' ? t.commandLine : actor.startsWith('job') ? t.job : actor)
}

function RevisionDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const t = useOperateTexts().configuration.revisions
  const act = useAct()
  const restoring = useRestoring()(id)
  const [{ compare }, setUrl] = useUrlState({ compare: '' })
  const query = useAdmin('configuration/revisions/{revision}', { revision: id, compare }, { keepPrevious: true })
  const restore = async () => {
    const done = await act(restoring)
    if (done !== undefined) onClose()
  }
  return (
    <DetailDrawer
      onClose={onClose}
      title={id === '0' ? t.beginning : t.title(id)}
      query={query}
      none={{ title: t.none, text: t.noneText }}
      skeleton={<Skeleton size="h-40 w-full" />}
      footer={
        query.data && (
          <ActButton permission="configuration" onClick={restore}>
            {restoring.action}
          </ActButton>
        )
      }
    >
      {(revision) => (
        <>
          <About revision={revision} />
          <Compare of={id} value={compare} onChange={(next) => setUrl({ compare: next })} />
          <Changes revision={revision} />
        </>
      )}
    </DetailDrawer>
  )
}

function About({ revision }: { revision: Shown }) {
  const t = useOperateTexts().configuration.revisions
  const who = useWho()
  const did = useDid()
  if (revision.at === null) return null
  return (
    <Facts
      items={[
        { label: t.at, value: <Time at={revision.at} style="exact" /> },
        { label: t.who, value: who(revision) },
        { label: t.action, value: did(revision.action) },
        { label: t.reason, value: revision.reason || '–' },
      ]}
    />
  )
}

/** With one of the newest, or with nothing stored. */
function Compare({ of, value, onChange }: { of: string; value: string; onChange(value: string): void }) {
  const t = useOperateTexts().configuration.revisions
  const { locale } = useLanguage()
  const who = useWho()
  const { data } = useAdmin('configuration/revisions', NEWEST)
  const others = (data?.data ?? []).filter(({ id }) => id !== of)
  const listed = [
    ...others.map((each) => ({ value: each.id, label: `${each.id} · ${formatTime(each.at, locale)} · ${who(each)}` })),
    ...(of === '0' ? [] : [{ value: '0', label: t.beginning }]),
  ]
  const isListed = value === '' || listed.some((each) => each.value === value)
  return (
    <SelectField
      label={t.compare}
      value={value}
      onChange={onChange}
      options={[{ value: '', label: t.itself }, ...(isListed ? [] : [{ value, label: value }]), ...listed]}
    />
  )
}

function Changes({ revision }: { revision: Shown }) {
  const { revisions: t, kinds } = useOperateTexts().configuration
  const title = revision.compared_with === null ? t.what : t.differs(revision.compared_with)
  return (
    <Part title={title}>
      {revision.changes.length === 0 && <p className="text-muted">{t.same}</p>}
      {revision.changes.map(({ kind, id, before, after }) => (
        <div key={`${kind} ${id}`} className="flex flex-col gap-1">
          <h4 className="text-sm">
            <span className="text-muted">{kinds[kind]} </span>
            <code className="font-mono wrap-anywhere">{id}</code>
          </h4>
          <Diff before={named(before)} after={named(after)} />
        </div>
      ))}
    </Part>
  )
}

/** A plain value, such as that of a setting, has no fields. */
const named = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : value === null ? null : { value }
