import { useLanguage } from '../../../i18n/language.tsx'
import { Badge, type Tone } from '../../../ui/states.tsx'
import { Duration, formatDuration } from '../../../ui/values.tsx'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export type ShownTask = Output<'GET', 'tasks/{task}'>
type State = ShownTask['state']

const TONES: Readonly<Partial<Record<State, Tone>>> = {
  succeeded: 'good',
  failed: 'bad',
  expired: 'bad',
  unknown: 'warn',
  running: 'accent',
  copying: 'accent',
}
const LAST: readonly State[] = ['succeeded', 'failed', 'cancelled', 'expired']

export const isOpen = ({ state }: Pick<ShownTask, 'state'>): boolean => !LAST.includes(state)

export function StateBadge({ state }: { state: State }) {
  const { states } = useOperateTexts().tasks
  return <Badge tone={TONES[state] ?? 'plain'}>{states[state]}</Badge>
}

/** So many times the typical duration is worth a look. */
const SLOW = 3

/** How long it has taken, against what is typical for its model. */
export function Age({ task }: { task: ShownTask }) {
  const t = useOperateTexts().tasks
  const { locale } = useLanguage()
  const end = isOpen(task) ? Date.now() : Date.parse(task.updated_at)
  const ms = Math.max(0, end - Date.parse(task.created_at))
  const typical = task.typical_ms
  const isSlow = typical !== null && isOpen(task) && ms > SLOW * typical
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-2">
      <Duration ms={ms} />
      {typical !== null && (
        <span className="text-sm whitespace-nowrap text-muted">{t.typical(formatDuration(typical, locale))}</span>
      )}
      {isSlow && <Badge tone="warn">{t.slow}</Badge>}
    </span>
  )
}
