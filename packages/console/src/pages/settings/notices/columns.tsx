import { useTexts } from '../../../i18n/language.tsx'
import { Badge, type Tone } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import { aboutNotice, type NoticeRow } from './about.ts'

const TONES: Readonly<Record<string, Tone>> = { sent: 'good', failed: 'bad', unknown: 'warn' }

/** For holders and for operators. */
export function useNoticeColumns(): Column<NoticeRow>[] {
  const { about, list: t } = useTexts().notices
  return [
    { id: 'at', label: t.at, cell: ({ at }) => <Time at={at} /> },
    { id: 'what', label: t.what, cell: (row) => <span className="wrap-anywhere">{aboutNotice(row, about)}</span> },
    {
      id: 'sent',
      label: t.sent,
      cell: ({ withheld, deliveries }) =>
        withheld !== null ? (
          <Badge tone="warn">{t.withheld[withheld] ?? withheld}</Badge>
        ) : deliveries.length === 0 ? (
          <span className="text-muted">{t.nobody}</span>
        ) : (
          <ul className="flex flex-col gap-1">
            {deliveries.map(({ to, state, error }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the deliveries of a notice never change their order
              <li key={index} className="flex flex-wrap items-center gap-x-2 wrap-anywhere">
                <Badge tone={TONES[state] ?? 'plain'}>{t.states[state] ?? state}</Badge>
                {to ?? t.webhook}
                {error !== null && <span className="text-sm text-muted">{error}</span>}
              </li>
            ))}
          </ul>
        ),
    },
  ]
}
