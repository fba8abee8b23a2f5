// The pages of the console, in the order of the navigation.

import type { Texts } from '../i18n/texts.ts'
import type { IconName } from '../ui/icons.tsx'
import { type LazyPage, lazyPage } from './lazy-page.tsx'

/** The id names the folder in pages/, and the texts, which have a title. */
type PageId = { [N in keyof Texts]: Texts[N] extends PageTexts ? N : never }[keyof Texts]
type PageTexts = { title: string }

type NavigationPage = LazyPage & { id: PageId; icon: IconName; path: string }

const page = (id: PageId, icon: IconName, load: Parameters<typeof lazyPage>[0]): NavigationPage => ({
  id,
  icon,
  path: id === 'overview' ? '/' : `/${id}`,
  ...lazyPage(load),
})

/** Each page is a chunk of its own, loaded when it is opened. */
export const PAGES: readonly NavigationPage[] = [
  page('overview', 'overview', () => import('../pages/overview/page.tsx')),
  page('keys', 'keys', () => import('../pages/keys/page.tsx')),
  page('connect', 'connect', () => import('../pages/connect/page.tsx')),
  page('models', 'models', () => import('../pages/models/page.tsx')),
  page('usage', 'usage', () => import('../pages/usage/page.tsx')),
  page('budgets', 'budgets', () => import('../pages/budgets/page.tsx')),
  page('wallet', 'wallet', () => import('../pages/wallet/page.tsx')),
  page('playground', 'playground', () => import('../pages/playground/page.tsx')),
  page('settings', 'settings', () => import('../pages/settings/page.tsx')),
]

/** Loaded apart: account holders never need it. */
export const operatePlace = lazyPage(() => import('../operate/place.tsx'))

/** The documentation. Each page leads to its own part of it. */
export const helpPage = lazyPage(() => import('../pages/help/page.tsx'))

/** The page of a path below /console. Pages below a page are its own. */
export const pageAt = (path: string): NavigationPage | undefined =>
  PAGES.find((page) => page.path === (path === '/' ? path : `/${path.split('/')[1]}`))
