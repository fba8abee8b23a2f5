// The pages of the console, in the order of the navigation.

import type { Texts } from '../i18n/texts.ts'
import type { IconName } from '../ui/icons.tsx'
import { type LazyPage, lazyPage } from './lazy-page.tsx'

/** The id names the folder in pages/, the texts, which have a title, and the icon. */
type PageId = { [N in keyof Texts]: Texts[N] extends PageTexts ? N : never }[keyof Texts] & IconName
/** `shortTitle`: for small screens. */
export type PageTexts = { title: string; shortTitle?: string }

type NavigationPage = LazyPage & { id: PageId; path: string }

const page = (id: PageId, load: Parameters<typeof lazyPage>[0]): NavigationPage => ({
  id,
  path: id === 'overview' ? '/' : `/${id}`,
  ...lazyPage(load),
})

/** Each page is a chunk of its own, loaded when it is opened. */
export const PAGES: readonly NavigationPage[] = [
  page('overview', () => import('../pages/overview/page.tsx')),
  page('keys', () => import('../pages/keys/page.tsx')),
  page('connect', () => import('../pages/connect/page.tsx')),
  page('models', () => import('../pages/models/page.tsx')),
  page('usage', () => import('../pages/usage/page.tsx')),
  page('wallet', () => import('../pages/wallet/page.tsx')),
  page('playground', () => import('../pages/playground/page.tsx')),
  page('settings', () => import('../pages/settings/page.tsx')),
]

/** Loaded apart: account holders never need it. */
export const operatePlace = lazyPage(() => import('../operate/place.tsx'))

/** The documentation. Each page leads to its own part of it. */
export const helpPage = lazyPage(() => import('../pages/help/page.tsx'))

/** The page of a path below /console. Pages below a page are its own. */
export const pageAt = (path: string): NavigationPage | undefined =>
  PAGES.find((page) => page.path === (path === '/' ? path : `/${path.split('/')[1]}`))
