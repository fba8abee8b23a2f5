// The pages of the console, in the order of the navigation.

import type { Texts } from '../i18n/texts.ts'
import type { IconName } from '../ui/icons.tsx'
import { type LazyPage, lazyPage } from './lazy-page.tsx'

/** The id names the folder in pages/, the texts, which have a title, and the icon. */
type PageId = { [N in keyof Texts]: Texts[N] extends PageTexts ? N : never }[keyof Texts] & IconName
/** `shortTitle`: for small screens. */
export type PageTexts = { title: string; shortTitle?: string }

type NavigationPage = LazyPage & { id: PageId; path: string }

/** Each page is a chunk of its own, loaded when it is opened. */
export const PAGES: readonly NavigationPage[] = [
  { id: 'overview', path: '/', ...lazyPage(() => import('../pages/overview/page.tsx')) },
  { id: 'keys', path: '/keys', ...lazyPage(() => import('../pages/keys/page.tsx')) },
  { id: 'connect', path: '/connect', ...lazyPage(() => import('../pages/connect/page.tsx')) },
  { id: 'models', path: '/models', ...lazyPage(() => import('../pages/models/page.tsx')) },
  { id: 'usage', path: '/usage', ...lazyPage(() => import('../pages/usage/page.tsx')) },
  { id: 'wallet', path: '/wallet', ...lazyPage(() => import('../pages/wallet/page.tsx')) },
  { id: 'playground', path: '/playground', ...lazyPage(() => import('../pages/playground/page.tsx')) },
  { id: 'settings', path: '/settings', ...lazyPage(() => import('../pages/settings/page.tsx')) },
]

/** The page of a path below /console. Pages below a page are its own. */
export const pageAt = (path: string): NavigationPage | undefined =>
  PAGES.find((page) => page.path === (path === '/' ? path : `/${path.split('/')[1]}`))
