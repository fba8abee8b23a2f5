// What both places of the console share: where the navigation is, how its links look, the name of the gateway, and the menu of the person.

import { type ReactNode, useEffect, useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { useLoss } from '../api/loss.ts'
import { useAbout } from '../api/queries.ts'
import { useTexts } from '../i18n/language.tsx'
import { classes } from '../ui/classes.ts'
import { Icon } from '../ui/icons.tsx'
import { Menu } from '../ui/overlay.tsx'
import { LossBar } from '../ui/states.tsx'
import { isOperate, OPERATE } from './operate-path.ts'
import { useSession, useSignOut, useSwitchAccount } from './session.tsx'

export const isCurrent = (path: string, location: string): boolean =>
  path === '/' ? location === '/' : location === path || location.startsWith(`${path}/`)

type FrameProps = {
  /** The columns at the left, and the bars of small screens. */
  side: ReactNode
  top: ReactNode
  bottom: ReactNode
  /** The widest that the content gets. */
  width: string
  children: ReactNode
}

export function Frame({ side, top, bottom, width, children }: FrameProps) {
  const { common } = useTexts()
  const [location] = useLocation()
  const main = useRef<HTMLElement>(null)
  const former = useRef(location)
  const loss = useLoss()
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
        className="absolute top-2 left-2 z-50 -translate-y-16 rounded-md border bg-surface px-3 py-2 focus:translate-y-0 print:hidden"
        onClick={() => main.current?.focus()}
      >
        {common.skipToContent}
      </button>
      <header className="sticky top-0 hidden h-dvh w-[216px] shrink-0 flex-col border-r bg-surface wide:flex print:hidden">
        {side}
      </header>
      <header className="flex items-center justify-between gap-2 border-b bg-surface pr-2 wide:hidden print:hidden">
        {top}
      </header>
      <main
        id="content"
        ref={main}
        tabIndex={-1}
        data-stale={loss ? '' : undefined}
        className="min-w-0 flex-1 overflow-x-clip px-4 pt-4 pb-24 outline-none wide:px-8 wide:py-8"
      >
        <div className={classes('mx-auto', width)}>
          {loss && <LossBar loss={loss} />}
          <div className={classes(loss && 'grayscale')}>{children}</div>
        </div>
      </main>
      {bottom}
    </div>
  )
}

type NavLinkProps = { path: string; icon: ReactNode; label: string; load?(): void; small?: boolean }

export function SideLink({ path, icon, label, load, small = false }: NavLinkProps) {
  const [location] = useLocation()
  const isHere = isCurrent(path, location)
  return (
    <Link
      href={path}
      onPointerEnter={load}
      aria-current={isHere ? 'page' : undefined}
      className={classes(
        'flex shrink-0 items-center gap-2.5 rounded-md px-2 hover:bg-raised',
        small ? 'h-[26px]' : 'h-8',
        isHere ? 'bg-raised font-medium text-ink' : 'text-muted hover:text-ink',
      )}
    >
      {icon}
      {label}
    </Link>
  )
}

type Place = NavLinkProps & { id: string }

/** At the bottom of small screens: the pages that are opened most, and the others in a menu. */
export function BottomBar({ pages, first }: { pages: readonly Place[]; first: readonly string[] }) {
  const { nav } = useTexts()
  const [, navigate] = useLocation()
  const shown = pages.filter(({ id }) => first.includes(id))
  const rest = pages.filter((page) => !shown.includes(page))
  return (
    <nav
      aria-label={nav.label}
      className="fixed inset-x-0 bottom-0 z-40 grid auto-cols-fr grid-flow-col border-t bg-surface pb-[env(safe-area-inset-bottom)] wide:hidden"
    >
      {shown.map(({ id, ...page }) => (
        <BottomLink key={id} {...page} />
      ))}
      <Menu
        trigger={
          <button type="button" className={`${BOTTOM_ITEM} text-muted`}>
            <Icon name="more" size={18} />
            {nav.more}
          </button>
        }
        items={rest.map(({ label, path }) => ({ label, onSelect: () => navigate(path) }))}
      />
    </nav>
  )
}

const BOTTOM_ITEM =
  'flex h-14 min-w-0 flex-col items-center justify-center gap-1 text-[10px] leading-none tracking-tight -outline-offset-2'

function BottomLink({ path, icon, label, load }: NavLinkProps) {
  const [location] = useLocation()
  const isHere = isCurrent(path, location)
  return (
    <Link
      href={path}
      onPointerEnter={load}
      aria-current={isHere ? 'page' : undefined}
      className={classes(BOTTOM_ITEM, isHere ? 'font-medium text-link' : 'text-muted')}
    >
      {icon}
      {label}
    </Link>
  )
}

export function Brand({ href = '/' }: { href?: string }) {
  const { overview } = useTexts()
  const { data } = useAbout()
  return (
    <Link
      href={href}
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

/** On small screens it leads to the other place, too. */
export function AccountMenu({ wide = false }: { wide?: boolean }) {
  const { nav, settings, help } = useTexts()
  const { account, accounts, gateway_role: role } = useSession()
  const [location, navigate] = useLocation()
  const isHere = isOperate(location)
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
        ...(wide || role === null
          ? []
          : [
              {
                label: isHere ? nav.mine : nav.operate,
                icon: 'overview' as const,
                hasLine: accounts.length > 1,
                onSelect: () => navigate(isHere ? '/' : OPERATE),
              },
            ]),
        {
          label: settings.title,
          icon: 'settings',
          hasLine: accounts.length > 1,
          onSelect: () => navigate('/settings'),
        },
        { label: help.title, icon: 'help', onSelect: () => navigate(`${isHere ? OPERATE : ''}/help`) },
        { label: nav.signOut, icon: 'external', onSelect: signOut },
      ]}
    />
  )
}
