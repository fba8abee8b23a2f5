// One task: its state here and at its upstream, and what an operator can do with it.
import { Link } from 'wouter'
import { CopyText } from '../../../ui/copy.tsx'
import { DetailDrawer } from '../../../ui/loaded.tsx'
import { Facts, Part } from '../../../ui/page.tsx'
import { Skeleton } from '../../../ui/states.tsx'
import { Amount, Time, useNumber } from '../../../ui/values.tsx'
import { LIVE, useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { LINKS } from '../../links.ts'
import { useAct } from '../../ui/act.tsx'
import { ActButton } from '../../ui/act-button.tsx'
import { AccountLink } from '../requests/columns.tsx'
import { Age, isOpen, type ShownTask, StateBadge } from './state.tsx'

/** `id`: empty while nothing is shown. */
export function TaskDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const t = useOperateTexts().tasks
  const isShown = id !== ''
  const query = useAdmin('tasks/{task}', { task: id }, { enabled: isShown, every: LIVE })
  return (
    <DetailDrawer
      open={isShown}
      onClose={onClose}
      title={t.task}
      query={query}
      none={{ title: t.none, text: t.noneText }}
      skeleton={<Skeleton size="h-80 w-full" />}
    >
      {(task) => <Shown task={task} />}
    </DetailDrawer>
  )
}

function Shown({ task }: { task: ShownTask }) {
  const t = useOperateTexts().tasks
  const number = useNumber()
  const isRunning = isOpen(task)
  return (
    <>
      <Facts
        items={[
          { label: t.state, value: <StateBadge state={task.state} /> },
          { label: isRunning ? t.age : t.duration, value: <Age task={task} /> },
          ...(isRunning ? [{ label: t.held, value: <Amount usd={task.held_usd} /> }] : []),
          { label: t.account, value: <AccountLink id={task.account_id} name={task.account} /> },
          { label: t.key, value: task.key ?? task.key_id },
          { label: t.model, value: task.model },
          { label: t.upstream, value: task.upstream },
          ...(task.upstream_task
            ? [{ label: t.upstreamTask, value: <CopyText text={task.upstream_task} label={t.upstreamTask} /> }]
            : []),
          { label: t.id, value: <CopyText text={task.id} label={t.id} /> },
          {
            label: t.request,
            value: (
              <Link href={LINKS.request(task.request_id)} className="break-all hover:underline">
                {task.request_id}
              </Link>
            ),
          },
          { label: t.created, value: <Time at={task.created_at} style="exact" /> },
          { label: t.updated, value: <Time at={task.updated_at} style="exact" /> },
          { label: t.queries, value: number(task.queries) },
          ...(task.next_query_at
            ? [{ label: t.nextQuery, value: <Time at={task.next_query_at} style="exact" /> }]
            : []),
          ...(isRunning ? [{ label: t.deadline, value: <Time at={task.deadline} style="exact" /> }] : []),
        ]}
      />
      {task.error && (
        <Part title={t.error}>
          <p>
            <span className="font-mono text-sm">{task.error.code}</span>
            <span className="block">{task.error.message}</span>
          </p>
        </Part>
      )}
      {isRunning && <Acts task={task} />}
    </>
  )
}

function Acts({ task }: { task: ShownTask }) {
  const t = useOperateTexts().tasks.acts
  const act = useAct()
  const words = useWords()
  const params = { task: task.id }
  const query = () =>
    act({
      method: 'POST',
      path: 'tasks/{task}/query',
      params,
      ...words('task query'),
      reason: 'none',
      hideChanges: true,
    })
  const cancel = () =>
    act({
      method: 'POST',
      path: 'tasks/{task}/cancel',
      params,
      ...words('task cancel'),
      reason: 'optional',
      danger: true,
      hideChanges: true,
    })
  const release = () =>
    act({
      method: 'POST',
      path: 'tasks/{task}/release',
      params,
      ...words('task release'),
      reason: 'required',
      danger: true,
      hideChanges: true,
    })
  const canQuery = ['unknown', 'queued', 'running', 'copying'].includes(task.state)
  const canRelease = canQuery || task.state === 'closing'
  return (
    <div className="flex flex-wrap gap-2">
      {canQuery && (
        <ActButton permission="accounts" icon="refresh" onClick={query}>
          {t.query.button}
        </ActButton>
      )}
      {task.state === 'queued' && (
        <ActButton permission="accounts" onClick={cancel}>
          {t.cancel.button}
        </ActButton>
      )}
      {canRelease && (
        <ActButton permission="money" variant="danger" onClick={release}>
          {t.release.button}
        </ActButton>
      )}
    </div>
  )
}
