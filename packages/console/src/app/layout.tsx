// The frame of every page after sign-in: navigation at the left, or at the bottom of small screens.

import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { useAbout } from '../api/queries.ts'
import { useTexts } from '../i18n/language.tsx'
import { classes } from '../ui/classes.ts'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/overlay.tsx'
import { Banner } from '../ui/states.tsx'
import { Amount } from '../ui/values.tsx'
import { LowBalance } from './low-balance.tsx'
import { PAGES, type PageTexts } from './navigation.ts'
import { useSession, useSignOut, useSwitchAccount } from './session.tsx'

const isCurrent = (path: string, location: string): boolean =>
  path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`)

export function Layout({ children }: { children: ReactNode }) {
  const { common } = useTexts()
  const [location] = useLocation()
  const main = useRef<HTMLElement>(null)
  const former = useRef(location)
  // Screen readers and the keyboard continue at the new page, as after a page load.
  useEffect(() => {
    if (former.current === location) return
    former.current = location
    window.scrollTo(0, 0)
    main.current?.focus()
  }, [location])
  return (
    <div className="flex min-h-dvh flex-col wide:flex-row">
      <button
        type="button"
        className="absolute top-2 left-2 z-50 -translate-y-16 rounded-md border bg-surface px-3 py-2 focus:translate-y-0"
        onClick={() => main.current?.focus()}
      >
        {common.skipToContent}
      </button>
      <SideBar location={location} />
      <TopBar />
      <main
        id="content"
        ref={main}
        tabIndex={-1}
        className="min-w-0 flex-1 overflow-x-clip px-4 pt-4 pb-24 outline-none wide:px-8 wide:py-8"
      >
        <div className="mx-auto max-w-[1120px]">
          <DisabledAccount />
          <LowBalance />
          {children}
        </div>
      </main>
      <BottomBar location={location} />
    </div>
  )
}

function DisabledAccount() {
  const { nav } = useTexts()
  if (!useSession().account.disabled) return null
  return (
    <div className="mb-6">
      <Banner tone="bad">{nav.disabled}</Banner>
    </div>
  )
}

function SideBar({ location }: { location: string }) {
  const texts = useTexts()
  const { nav } = texts
  return (
    <div className="sticky top-0 hidden h-dvh w-[216px] shrink-0 flex-col border-r bg-surface wide:flex">
      <Brand />
      <nav aria-label={nav.label} className="flex flex-1 flex-col gap-0.5 overflow-y-auto px-2">
        {PAGES.map(({ id, path, load }) => (
          <Link
            key={id}
            href={path}
            onPointerEnter={load}
            aria-current={isCurrent(path, location) ? 'page' : undefined}
            className={classes(
              'flex h-8 items-center gap-2.5 rounded-md px-2 hover:bg-raised',
              isCurrent(path, location) ? 'bg-raised font-medium text-ink' : 'text-muted hover:text-ink',
            )}
          >
            <Icon name={id} />
            {texts[id].title}
          </Link>
        ))}
      </nav>
      <div className="flex flex-col gap-2 border-t p-2">
        <Balance />
        <AccountMenu wide />
      </div>
    </div>
  )
}

/** On small screens: name, balance and account. */
function TopBar() {
  return (
    <div className="flex items-center justify-between gap-2 border-b bg-surface pr-2 wide:hidden">
      <Brand />
      <div className="flex min-w-0 items-center gap-1">
        <Balance />
        <AccountMenu />
      </div>
    </div>
  )
}

/** Settings are in the menu of the account: more places do not fit a phone. */
function BottomBar({ location }: { location: string }) {
  const texts = useTexts()
  const { nav } = texts
  return (
    <nav
      aria-label={nav.label}
      className="fixed inset-x-0 bottom-0 z-40 grid auto-cols-fr grid-flow-col border-t bg-surface pb-[env(safe-area-inset-bottom)] wide:hidden"
    >
      {PAGES.filter(({ id }) => id !== 'settings').map(({ id, path, load }) => (
        <Link
          key={id}
          href={path}
          onPointerEnter={load}
          aria-current={isCurrent(path, location) ? 'page' : undefined}
          className={classes(
            'flex h-14 min-w-0 flex-col items-center justify-center gap-1 text-[10.5px] leading-none -outline-offset-2',
            isCurrent(path, location) ? 'font-medium text-link' : 'text-muted',
          )}
        >
          <Icon name={id} size={18} />
          {shortTitleOf(texts[id])}
        </Link>
      ))}
    </nav>
  )
}

const shortTitleOf = ({ title, shortTitle = title }: PageTexts): string => shortTitle

function Brand() {
  const { overview } = useTexts()
  const { data } = useAbout()
  return (
    <Link
      href="/"
      aria-label={data ? undefined : overview.title}
      className="flex h-14 min-w-0 items-center gap-2 rounded-md px-4 font-semibold"
    >
      <Logo />
      <span className="truncate">{data?.name}</span>
    </Link>
  )
}

/** Three ways that meet. */
export function Logo() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" fill="none" aria-hidden="true" className="shrink-0 text-accent">
      <path d="M3 3.5 9 9m0 0 6-5.5M9 9v6.5" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />
    </svg>
  )
}

function Balance() {
  const { nav } = useTexts()
  const { available_usd: available, is_low: isLow } = useSession()
  return (
    <Link
      href="/wallet"
      className="flex min-w-0 flex-col rounded-md px-2 py-1 text-right hover:bg-raised wide:text-left"
    >
      <span className="text-xs text-muted">{nav.available}</span>
      <span className={classes('text-sm', isLow && 'text-warn')}>
        <Amount usd={available} />
      </span>
    </Link>
  )
}

function AccountMenu({ wide = false }: { wide?: boolean }) {
  const { nav, settings } = useTexts()
  const { account, accounts } = useSession()
  const [, navigate] = useLocation()
  const signOut = useSignOut()
  const switchAccount = useSwitchAccount()
  return (
    <Menu
      align={wide ? 'start' : 'end'}
      trigger={
        <button
          type="button"
          aria-label={`${nav.account}: ${account.name}`}
          className="flex h-8 min-w-0 items-center gap-2 rounded-md px-2 text-muted hover:bg-raised hover:text-ink pointer-coarse:h-10"
        >
          <Icon name="person" />
          {wide && <span className="min-w-0 flex-1 truncate text-left text-sm">{account.name}</span>}
        </button>
      }
      items={[
        ...(accounts.length > 1 ? accounts : []).map(({ id, name }) => ({
          id,
          label: name,
          icon: id === account.id ? ('check' as const) : ('person' as const),
          isCurrent: id === account.id,
          onSelect: () => (id === account.id ? undefined : switchAccount(id)),
        })),
        {
          label: settings.title,
          icon: 'settings',
          hasLine: accounts.length > 1,
          onSelect: () => navigate('/settings'),
        },
        { label: nav.signOut, icon: 'external', onSelect: signOut },
      ]}
    />
  )
}
