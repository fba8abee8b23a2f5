// Icons of the operators' pages. Those that account holders have, too, are the same.
import { Drawing, Icon } from '../../ui/icons.tsx'
import type { PageId } from '../page-ids.ts'

const SHARED = { overview: 'overview', usage: 'usage', keys: 'keys', models: 'models', budgets: 'budgets' } as const
const PATHS = {
  requests: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  tasks: 'M2.5 3.5h11v9h-11zM6.5 6v4l3.2-2z',
  accounts:
    'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.8 13c.4-2.2 2-3.2 4.2-3.2s3.8 1 4.2 3.2M10.5 3a2.2 2.2 0 0 1 0 4.3M12 10c1.3.4 2 1.4 2.2 3',
  codes: 'M2.5 5.5v-2h11v2a2 2 0 0 0 0 4v3h-11v-3a2 2 0 0 0 0-4zM8 3.5v2M8 7.5v1M8 10.5v2',
  start: 'M4 13.5v-11M4 3h8.5l-2 2.7 2 2.8H4',
  upstreams: 'M3 2.5h10v4H3zM3 9.5h10v4H3zM5.5 4.5h.01M5.5 11.5h.01',
  groups: 'M2.5 2.5h4v4h-4zM9.5 2.5h4v4h-4zM2.5 9.5h4v4h-4zM9.5 9.5h4v4h-4z',
  ledger: 'M3.5 2.5h9v11h-9zM5.8 5.5h4.4M5.8 8h4.4M5.8 10.5h2.4',
  margin: 'M2.5 13.5h11M3.5 10.5l3-3 2.5 2 4-5M10 4.5h3v3',
  alerts: 'M4 11V7.5a4 4 0 0 1 8 0V11l1.2 1.5H2.8zM6.8 14h2.4',
  people: 'M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM3.2 13.5c.5-2.3 2.4-3.5 4.8-3.5s4.3 1.2 4.8 3.5',
  auditLog: 'M2.5 8a5.5 5.5 0 1 0 1.8-4M2.5 2.5V5H5M8 5v3.2l2.2 1.3',
  configuration: 'M2.5 4.5h5M11.5 4.5h2M2.5 11.5h2M8.5 11.5h5M9.5 2.8v3.4M6.5 9.8v3.4',
  system: 'M2.5 3.5h11v7h-11zM6 13.5h4M8 10.5v3',
} as const satisfies Record<Exclude<PageId, keyof typeof SHARED>, string>

export function OperateIcon({ name, size = 16 }: { name: PageId; size?: number }) {
  return name in SHARED ? (
    <Icon name={SHARED[name as keyof typeof SHARED]} size={size} />
  ) : (
    <Drawing path={PATHS[name as keyof typeof PATHS]} size={size} />
  )
}
