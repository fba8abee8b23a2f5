// The frame of every page of an account: navigation at the left, or at the bottom of small screens.

import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useTexts } from '../i18n/language.tsx'
import { classes } from '../ui/classes.ts'
import { Icon } from '../ui/icons.tsx'
import { Banner } from '../ui/states.tsx'
import { Amount } from '../ui/values.tsx'
import { AccountMenu, BottomBar, Brand, Frame, SideLink } from './frame.tsx'
import { LowBalance } from './low-balance.tsx'
import { helpPage, PAGES } from './navigation.ts'
import { PlaceSwitch } from './places.tsx'
import { useSession } from './session.tsx'

export function Layout({ children }: { children: ReactNode }) {
  const top = (
    <>
      <Brand />
      <div className="flex min-w-0 items-center gap-1">
        <Balance />
        <AccountMenu />
      </div>
    </>
  )
  return (
    <Frame side={<SideBar />} top={top} bottom={<Places />} width="max-w-[1120px]">
      <DisabledAccount />
      <LowBalance />
      {children}
    </Frame>
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

function SideBar() {
  const texts = useTexts()
  return (
    <>
      <Brand />
      <PlaceSwitch />
      <nav aria-label={texts.nav.label} className="flex flex-1 flex-col gap-0.5 overflow-y-auto px-2">
        {PAGES.map(({ id, icon, path, load }) => (
          <SideLink key={id} path={path} icon={<Icon name={icon} />} label={texts[id].title} load={load} />
        ))}
        <SideLink path="/help" icon={<Icon name="help" />} label={texts.help.title} load={helpPage.load} />
      </nav>
      <div className="flex flex-col gap-2 border-t p-2">
        <Balance />
        <AccountMenu wide />
      </div>
    </>
  )
}

const FIRST_PAGES: readonly string[] = ['overview', 'keys', 'usage', 'playground']

/** Settings are in the menu of the account. */
function Places() {
  const texts = useTexts()
  return (
    <BottomBar
      first={FIRST_PAGES}
      pages={PAGES.filter(({ id }) => id !== 'settings').map(({ id, icon, path, load }) => ({
        id,
        path,
        load,
        icon: <Icon name={icon} size={18} />,
        label: texts[id].title,
      }))}
    />
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
        <Amount rounded usd={available} />
      </span>
    </Link>
  )
}
