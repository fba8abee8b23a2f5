import type { KeyRow } from '../../api/types.ts'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { IconButton } from '../../ui/button.tsx'
import type { IconName } from '../../ui/icons.tsx'
import { Menu, type MenuItem } from '../../ui/overlay.tsx'
import { Badge, type Tone } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { Amount, Bar, formatUsd, Time } from '../../ui/values.tsx'

export type KeyAction = 'edit' | 'connect' | 'rotate' | 'usage' | 'delete'

const ALL_ACTIONS: readonly KeyAction[] = ['edit', 'connect', 'rotate', 'usage', 'delete']

const TONES: Readonly<Record<KeyRow['state'], Tone>> = { active: 'good', expired: 'warn', deleted: 'plain' }

/** `actions`: those that are offered at all. */
export function useKeyColumns(
  onAction: (action: KeyAction, key: KeyRow) => void,
  actions: readonly KeyAction[] = ALL_ACTIONS,
): Column<KeyRow>[] {
  const { keys } = useTexts()
  const t = keys.list
  return [
    { id: 'name', line: 1, label: t.name, shrinks: true, skeleton: 'min-h-10 w-28', cell: (key) => <Name row={key} /> },
    {
      id: 'group',
      drop: 720,
      label: t.group,
      skeleton: 'w-16',
      cell: ({ group }) => (
        <span title={group} className="cards:break-words rows:block rows:max-w-28 rows:truncate">
          {group}
        </span>
      ),
    },
    { id: 'spent', line: 2, label: t.spent, skeleton: 'w-32', cell: (key) => <Spent row={key} /> },
    {
      id: 'expires',
      drop: 840,
      label: t.expires,
      skeleton: 'w-20',
      cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} style="date" /> : muted(t.neverExpires)),
    },
    {
      id: 'used',
      drop: 920,
      label: t.lastUsed,
      skeleton: 'w-20',
      cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} style="relative" /> : muted(t.neverUsed)),
    },
    {
      id: 'state',
      line: 2,
      label: t.state,
      skeleton: 'w-14',
      cell: ({ state }) => <Badge tone={TONES[state]}>{keys.states[state]}</Badge>,
    },
    {
      id: 'actions',
      label: t.actions,
      control: 'icon',
      align: 'right',
      skeleton: 'w-7',
      cell: (key) => <Actions row={key} offered={actions} onAction={onAction} />,
    },
  ]
}

const muted = (text: string) => <span className="text-muted">{text}</span>

function Name({ row }: { row: KeyRow }) {
  const t = useTexts().keys.list
  const isRestricted = row.models !== null || row.networks !== null
  return (
    <span className="flex min-w-0 cards:flex-wrap cards:gap-x-2 rows:flex-col">
      <span className="flex min-w-0 items-center gap-x-2 cards:flex-wrap">
        <span title={row.name} className="min-w-0 font-medium cards:wrap-anywhere rows:truncate">
          {row.name}
        </span>
        {row.purpose === 'playground' && <Badge tone="accent">{t.builtIn}</Badge>}
        {row.purpose === 'token' && <Badge tone="accent">{t.companyToken}</Badge>}
        {isRestricted && <Badge>{t.restricted}</Badge>}
      </span>
      {row.last_four !== '' && (
        <span className="font-mono text-sm font-normal whitespace-nowrap text-muted">
          <span aria-hidden="true">sk-…{row.last_four}</span>
          <span className="sr-only"> {t.secretEnding(row.last_four)}</span>
        </span>
      )}
      <span className="text-sm font-normal text-muted cards:wrap-anywhere rows:truncate">
        {t.madeBy(row.made_by_email ?? makerKey(row) ?? (row.made_by_operator ? t.operator : t.formerPerson))}
      </span>
      {row.former_secret_until && row.state === 'active' && (
        <span className="text-sm font-normal whitespace-normal text-muted">
          {t.formerUntil} <Time at={row.former_secret_until} />
        </span>
      )}
    </span>
  )
}

/** Operators see which admin key it was. */
const makerKey = (row: KeyRow & { made_by_key_name?: string | null }): string | undefined =>
  row.made_by_key_name ?? undefined

type SpentOf = Pick<KeyRow, 'cap_usd' | 'cap_period' | 'spent_under_cap_usd' | 'spent_usd'>

export function Spent({ row }: { row: SpentOf }) {
  const t = useTexts().keys.list
  const { locale } = useLanguage()
  const { cap_usd: cap, cap_period: period, spent_under_cap_usd: spent } = row
  if (cap === null) {
    return (
      <span className="inline-flex flex-wrap gap-x-2 cards:justify-end">
        <Amount usd={row.spent_usd} rounded={4} /> {muted(t.noCap)}
      </span>
    )
  }
  return (
    <span className="inline-flex min-w-36 flex-col gap-1">
      <span className="inline-flex flex-wrap gap-x-1 cards:justify-end">
        <span className="whitespace-nowrap">{formatUsd(spent, locale)}</span>
        <span className="whitespace-nowrap">
          {t.of} <Amount usd={cap} />
        </span>
        {period && <span className="whitespace-nowrap text-muted">{t.per[period]}</span>}
      </span>
      <Bar share={Number(spent) / Number(cap)} label={t.spentLabel(formatUsd(spent, locale), formatUsd(cap, locale))} />
    </span>
  )
}

type ActionsProps = {
  row: KeyRow
  offered: readonly KeyAction[]
  onAction(action: KeyAction, key: KeyRow): void
}

function Actions({ row, offered, onAction }: ActionsProps) {
  const { actions, list } = useTexts().keys
  const item = (action: KeyAction, icon: IconName): MenuItem[] =>
    offered.includes(action)
      ? [{ label: actions[action], icon, danger: action === 'delete', onSelect: () => onAction(action, row) }]
      : []
  const isDeleted = row.state === 'deleted'
  const isClient = row.purpose === 'client'
  return (
    <Menu
      trigger={<IconButton icon="more" label={list.actionsOf(row.name)} />}
      items={[
        ...(isDeleted ? [] : item('edit', 'edit')),
        ...(row.state === 'active' && isClient ? item('connect', 'connect') : []),
        ...(isDeleted || !isClient ? [] : item('rotate', 'refresh')),
        ...item('usage', 'usage'),
        ...(isDeleted || row.purpose === 'playground' ? [] : item('delete', 'trash')),
      ]}
    />
  )
}
