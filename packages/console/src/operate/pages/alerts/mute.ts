// Mutes of a rule or of what one alert is about, as items of a menu.

import type { MenuItem } from '../../../ui/overlay.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { useActItem } from '../../ui/act-button.tsx'

const HOUR_MS = 3_600_000
const TIMES = { hour: HOUR_MS, night: 8 * HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const

type Subject = { rule: Row<'alerts/rules'>['id'] } | { alert: string }

/** `name`: what the dialog calls it. */
export function useMuteItems(): (subject: Subject, name: string, isMuted: boolean) => MenuItem[] {
  const t = useOperateTexts().alerts.mute
  const act = useAct()
  const words = useWords()
  const item = useActItem()
  return (subject, name, isMuted) => {
    const unmute = {
      method: 'POST',
      path: 'alerts/unmute',
      body: subject,
      ...words('alert unmute', name),
      reason: 'optional',
      hideChanges: true,
    } as const
    const mute = (ms: number) =>
      act({
        method: 'POST',
        path: 'alerts/mute',
        body: { ...subject, until: new Date(Date.now() + ms).toISOString() },
        ...words('alert mute', name),
        undo: unmute,
      })
    return [
      ...(isMuted ? [item('configuration', { label: unmute.action, onSelect: () => void act(unmute) })] : []),
      ...(Object.keys(TIMES) as (keyof typeof TIMES)[]).map((time, index) =>
        item('configuration', {
          label: t.for(t.times[time]),
          hasLine: isMuted && index === 0,
          onSelect: () => void mute(TIMES[time]),
        }),
      ),
    ]
  }
}
