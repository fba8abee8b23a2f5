// The operators' place: its frame, and its pages by permission. An accent line at the left edge and the word beside the name say where one is.

import './common.ts'
import type { ReactNode } from 'react'
import { Link, Redirect, Route, Switch, useLocation } from 'wouter'
import { ErrorBoundary } from '../app/error-boundary.tsx'
import { AccountMenu, BottomBar, Brand, Frame, SideLink } from '../app/frame.tsx'
import { LayoutSkeleton } from '../app/layout-skeleton.tsx'
import { NotFound } from '../app/not-found.tsx'
import { OPERATE } from '../app/operate-path.ts'
import { PlaceSwitch } from '../app/places.tsx'
import { useTexts } from '../i18n/language.tsx'
import { Icon } from '../ui/icons.tsx'
import { Badge } from '../ui/states.tsx'
import { useAdmin } from './api/queries.ts'
import { OperateTextsProvider, useOperateTexts } from './i18n/use-texts.tsx'
import { FIRST_PAGES, GROUPS, HAVE_PAGES, helpPage, type OperatePage, PAGES, START } from './navigation.ts'
import { type PageId, pathOf } from './page-ids.ts'
import { isStartDismissed } from './pages/start/dismissed.ts'
import { SearchButton, SearchProvider } from './search/search.tsx'
import { ActProvider } from './ui/act.tsx'
import { OperateIcon } from './ui/icons.tsx'
import { type Role, useMay, usePermissions, useRole } from './ui/permissions.ts'

/** What a role has to do with most. */
const LANDING: Readonly<Partial<Record<Role, PageId>>> = { finance: 'margin', support: 'accounts' }

export default function Place() {
  return (
    <OperateTextsProvider waiting={<LayoutSkeleton />}>
      <Permitted />
    </OperateTextsProvider>
  )
}

function Permitted() {
  const permissions = usePermissions()
  if (!permissions) return <LayoutSkeleton />
  const pages = PAGES.filter(({ needs }) => permissions.has(needs))
  return (
    <ActProvider>
      <SearchProvider pages={pages}>
        <div aria-hidden="true" className="fixed inset-y-0 left-0 z-40 w-[3px] bg-accent" />
        <Frame
          side={<SideBar pages={pages} />}
          top={<TopBar />}
          bottom={<Places pages={pages} />}
          width="max-w-[1480px]"
        >
          <Page pages={pages} />
        </Frame>
      </SearchProvider>
    </ActProvider>
  )
}

function Page({ pages }: { pages: readonly OperatePage[] }): ReactNode {
  const [location] = useLocation()
  const may = useMay()
  return (
    <ErrorBoundary place={location}>
      <Switch>
        <Route path={OPERATE}>
          <Landing />
        </Route>
        {may(START.needs) && <Route path={START.path} component={START.page} />}
        {pages.map(({ id, path, page }) => (
          <Route key={id} path={HAVE_PAGES.includes(id) ? `${path}/*?` : path} component={page} />
        ))}
        <Route path={`${OPERATE}/help/*?`} component={helpPage.page} />
        <Route component={NotFound} />
      </Switch>
    </ErrorBoundary>
  )
}

/** Whoever can add an upstream begins with the first hour, until there is one. */
function Landing(): ReactNode {
  const landing = LANDING[useRole()] ?? 'overview'
  const mayBegin = useMay()(START.needs) && !isStartDismissed()
  const { data, isPending } = useAdmin('upstream-figures', {}, { enabled: mayBegin })
  if (mayBegin && isPending) return null
  const isEmpty = data?.data.every(({ base_url }) => base_url === null) ?? false
  return <Redirect to={isEmpty ? START.path : pathOf(landing)} replace />
}

function SideBar({ pages }: { pages: readonly OperatePage[] }) {
  const texts = useOperateTexts()
  const { nav, help } = useTexts()
  return (
    <>
      <Brand href={OPERATE} />
      <PlaceSwitch />
      <SearchButton />
      <nav aria-label={nav.label} className="flex flex-1 flex-col overflow-y-auto px-2 pb-2">
        {GROUPS.map(({ id, pages: all }) => {
          const shown = all.filter((page) => pages.includes(page))
          if (shown.length === 0) return null
          return (
            <section key={id} aria-label={texts.shell.groups[id]} className="flex flex-col">
              {id !== 'start' && (
                <div aria-hidden="true" className="mt-1.5 px-2 text-xs font-medium text-muted">
                  {texts.shell.groups[id]}
                </div>
              )}
              {shown.map((page) => (
                <SideLink
                  key={page.id}
                  small
                  path={page.path}
                  icon={<OperateIcon name={page.id} />}
                  label={texts[page.id].title}
                  load={page.load}
                />
              ))}
            </section>
          )
        })}
        <div className="mt-1.5 flex flex-col">
          <SideLink
            small
            path={`${OPERATE}/help`}
            icon={<Icon name="help" />}
            label={help.title}
            load={helpPage.load}
          />
        </div>
      </nav>
      <div className="flex flex-col gap-2 border-t p-2">
        <Foot />
        <AccountMenu wide />
      </div>
    </>
  )
}

const ALERTS_EVERY_MS = 15_000

/** In the place of a wallet: the role, and what is wrong with the gateway. */
function Foot() {
  const { shell } = useOperateTexts()
  const role = useRole()
  const { data } = useAdmin('alerts', { state: 'open', limit: '100' }, { every: ALERTS_EVERY_MS })
  const count = data?.data.length ?? 0
  return (
    <Link href={pathOf('alerts')} className="flex min-w-0 flex-col items-start rounded-md px-2 py-1 hover:bg-raised">
      <span className="text-xs text-muted">
        {shell.role}: {shell.roles[role]}
      </span>
      <span className="text-sm">
        {count > 0 ? <Badge tone="bad">{shell.openAlerts(count)}</Badge> : shell.openAlerts(count)}
      </span>
    </Link>
  )
}

function TopBar() {
  const { nav } = useTexts()
  return (
    <>
      <span className="flex min-w-0 items-center">
        <Brand href={OPERATE} />
        <Badge tone="accent">{nav.operate}</Badge>
      </span>
      <span className="flex items-center gap-1">
        <SearchButton small />
        <AccountMenu />
      </span>
    </>
  )
}

function Places({ pages }: { pages: readonly OperatePage[] }) {
  const texts = useOperateTexts()
  return (
    <BottomBar
      first={FIRST_PAGES}
      pages={pages.map(({ id, path, load }) => ({
        id,
        path,
        load,
        icon: <OperateIcon name={id} size={18} />,
        label: texts[id].title,
      }))}
    />
  )
}
