// The pages of the operators' place in the order of the navigation, by group.

import { type LazyPage, lazyPage } from '../app/lazy-page.tsx'
import type { OperateTexts } from './i18n/texts.ts'
import { type PageId, pathOf } from './page-ids.ts'
import type { Permission } from './ui/permissions.ts'

/** `needs`: without the permission the page does not exist. */
export type OperatePage = LazyPage & { id: PageId; path: string; needs: Permission }
export type GroupId = keyof OperateTexts['shell']['groups']

const page = (id: PageId, load: Parameters<typeof lazyPage>[0], needs: Permission = 'see'): OperatePage => ({
  id,
  path: pathOf(id),
  needs,
  ...lazyPage(load),
})

/** Each page is a chunk of its own, loaded when it is opened. */
export const GROUPS: readonly { id: GroupId; pages: readonly OperatePage[] }[] = [
  { id: 'start', pages: [page('overview', () => import('./pages/overview/page.tsx'))] },
  {
    id: 'traffic',
    pages: [
      page('requests', () => import('./pages/requests/page.tsx')),
      page('tasks', () => import('./pages/tasks/page.tsx')),
      page('usage', () => import('./pages/usage/page.tsx')),
    ],
  },
  {
    id: 'customers',
    pages: [
      page('accounts', () => import('./pages/accounts/page.tsx')),
      page('keys', () => import('./pages/keys/page.tsx')),
      page('budgets', () => import('./pages/budgets/page.tsx')),
      page('codes', () => import('./pages/codes/page.tsx')),
    ],
  },
  {
    id: 'catalogue',
    pages: [
      page('upstreams', () => import('./pages/upstreams/page.tsx')),
      page('models', () => import('./pages/models/page.tsx')),
      page('groups', () => import('./pages/groups/page.tsx')),
    ],
  },
  {
    id: 'money',
    pages: [
      page('ledger', () => import('./pages/ledger/page.tsx')),
      page('margin', () => import('./pages/margin/page.tsx'), 'see_costs'),
    ],
  },
  {
    id: 'gateway',
    pages: [
      page('alerts', () => import('./pages/alerts/page.tsx')),
      page('people', () => import('./pages/people/page.tsx'), 'people'),
      page('auditLog', () => import('./pages/audit-log/page.tsx')),
      page('configuration', () => import('./pages/configuration/page.tsx')),
      page('system', () => import('./pages/system/page.tsx')),
    ],
  },
]

/** The first hour: not in the navigation, since it is over when an upstream is there. */
export const START: OperatePage = page('start', () => import('./pages/start/page.tsx'), 'configuration')

export const PAGES: readonly OperatePage[] = GROUPS.flatMap(({ pages }) => pages)

/** Pages that have pages of their own, such as /operate/accounts/7. */
export const HAVE_PAGES: readonly PageId[] = ['accounts', 'upstreams', 'configuration']

/** At the bottom of small screens; the rest is behind "More". */
export const FIRST_PAGES: readonly PageId[] = ['overview', 'requests', 'accounts', 'upstreams']

export const helpPage = lazyPage(() => import('../pages/help/page.tsx'))
