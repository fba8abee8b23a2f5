// The pages of the console, in the order of the navigation.

import { type ComponentType, lazy } from 'react'
import type { Texts } from '../i18n/texts.ts'
import type { IconName } from '../ui/icons.tsx'

export type NavigationId = 'overview' | 'keys' | 'models' | 'usage' | 'wallet' | 'playground' | 'settings'

type NavigationPage = { id: NavigationId & IconName & keyof Texts; path: string; page: ComponentType }

/** Each page is a chunk of its own, loaded when it is opened. */
export const PAGES: readonly NavigationPage[] = [
  { id: 'overview', path: '/', page: lazy(() => import('../pages/overview/page.tsx')) },
  { id: 'keys', path: '/keys', page: lazy(() => import('../pages/keys/page.tsx')) },
  { id: 'models', path: '/models', page: lazy(() => import('../pages/models/page.tsx')) },
  { id: 'usage', path: '/usage', page: lazy(() => import('../pages/usage/page.tsx')) },
  { id: 'wallet', path: '/wallet', page: lazy(() => import('../pages/wallet/page.tsx')) },
  { id: 'playground', path: '/playground', page: lazy(() => import('../pages/playground/page.tsx')) },
  { id: 'settings', path: '/settings', page: lazy(() => import('../pages/settings/page.tsx')) },
]
