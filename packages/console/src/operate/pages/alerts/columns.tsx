import { Link } from 'wouter'
import { IconButton } from '../../../ui/button.tsx'
import { Menu } from '../../../ui/overlay.tsx'
import { Badge } from '../../../ui/states.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS, pageLink } from '../../links.ts'
import { useMuteItems } from './mute.ts'

type Alert = Row<'alerts'>

/** Open alerts can be muted; resolved ones say when they were resolved. */
export function useAlertColumns(isOpen: boolean): readonly Column<Alert>[] {
  const t = useOperateTexts().alerts
  const muteItems = useMuteItems()
  const titleOf = ({ rule }: Alert) => t.rules[rule]?.title ?? rule
  return [
    { id: 'rule', label: t.columns.rule, cell: titleOf, skeleton: 'w-48' },
    {
      id: 'about',
      label: t.columns.about,
      cell: (alert) => <About alert={alert} />,
    },
    {
      id: 'value',
      label: t.columns.value,
      cell: ({ value }) => <span className="wrap-anywhere">{t.value(value)}</span>,
    },
    { id: 'since', drop: 720, label: t.columns.since, cell: ({ since }) => <Time at={since} /> },
    ...(isOpen
      ? []
      : [
          {
            id: 'resolved',
            drop: 860,
            label: t.columns.resolved,
            cell: ({ resolved_at }: Alert) => resolved_at && <Time at={resolved_at} />,
          },
        ]),
    { id: 'sent', drop: 660, label: t.columns.sent, cell: (alert) => <Sent alert={alert} /> },
    ...(isOpen
      ? [
          {
            id: 'actions',
            label: t.columns.actions,
            control: 'icon' as const,
            cell: (alert: Alert) => (
              <Menu
                trigger={<IconButton icon="more" label={t.ruleList.manage(titleOf(alert))} />}
                items={muteItems({ alert: alert.id }, titleOf(alert), alert.muted_until !== null)}
              />
            ),
          },
        ]
      : []),
  ]
}

/** The requests that an alert counts are those of the minutes before it. */
const COUNTED_MS = 300_000

/** What it is about, with the way there. */
function About({ alert: { rule, target, since, resolved_at } }: { alert: Alert }) {
  const { requests } = useOperateTexts().alerts
  const [noun = '', ...rest] = target.split(' ')
  const id = rest.join(' ')
  const from = new Date(Date.parse(since) - COUNTED_MS).toISOString()
  const href =
    rule === 'error_rate'
      ? pageLink('requests', { outcome: 'errors', from, ...(resolved_at === null ? {} : { to: resolved_at }) })
      : noun === 'upstream' || noun === 'model'
        ? LINKS[noun](id)
        : undefined
  const shown = rule === 'error_rate' ? requests : target
  if (href === undefined) return shown === '' ? '\u2013' : <span className="wrap-anywhere">{shown}</span>
  return (
    <Link href={href} className="text-link wrap-anywhere hover:underline">
      {shown}
    </Link>
  )
}

/** Whether it reached anyone; the title names where it went, and why it did not. */
function Sent({ alert: { deliveries, muted_until } }: { alert: Alert }) {
  const t = useOperateTexts().alerts
  const count = (state: string) => deliveries.filter((each) => each.state === state).length
  const parts = [
    ['delivered', 'good', count('delivered')],
    ['pending', 'warn', count('pending')],
    ['failed', 'bad', count('given up')],
  ] as const
  const title = deliveries.map(({ event, target, state, error }) => `${event}, ${target}: ${error ?? state}`).join('\n')
  return (
    <span className="inline-flex flex-wrap justify-end gap-1 rows:justify-start" title={title}>
      {muted_until !== null && <MutedUntil at={muted_until} />}
      {deliveries.length === 0 && muted_until === null && <span className="text-muted">{t.deliveries.none}</span>}
      {parts.map(
        ([name, tone, number]) =>
          number > 0 && (
            <Badge key={name} tone={tone}>
              {t.deliveries[name](number)}
            </Badge>
          ),
      )}
    </span>
  )
}

export function MutedUntil({ at }: { at: string }) {
  const { mutedUntil } = useOperateTexts().alerts
  return (
    <Badge>
      <span className="mr-1">{mutedUntil}</span>
      <Time at={at} />
    </Badge>
  )
}
