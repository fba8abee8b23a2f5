// The console has two places: the account of the person, and for people with a role the gateway itself.

import { useEffect } from 'react'
import { Link, useLocation } from 'wouter'
import { useTexts } from '../i18n/language.tsx'
import { classes } from '../ui/classes.ts'
import { isOperate, OPERATE } from './operate-path.ts'
import { useSession } from './session.tsx'

/** Nothing for people without a role. */
export function PlaceSwitch() {
  const { nav } = useTexts()
  const [location] = useLocation()
  const hasRole = useSession().gateway_role !== null
  usePlaceKeys(hasRole)
  if (!hasRole) return null
  const place = (href: string, label: string, isHere: boolean) => (
    <Link
      href={href}
      aria-current={isHere ? 'true' : undefined}
      className={classes(
        'flex-1 rounded-sm px-2 py-1 text-center text-sm whitespace-nowrap',
        isHere ? 'bg-surface font-medium text-ink' : 'text-muted hover:text-ink',
      )}
    >
      {label}
    </Link>
  )
  return (
    <nav aria-label={nav.place} className="mx-2 mb-2 flex gap-0.5 rounded-md bg-raised p-0.5">
      {place('/', nav.mine, !isOperate(location))}
      {place(OPERATE, nav.operate, isOperate(location))}
    </nav>
  )
}

/** `g a` leads to the account, `g o` to the gateway. */
function usePlaceKeys(isOn: boolean): void {
  const [, navigate] = useLocation()
  useEffect(() => {
    if (!isOn) return
    let isBegun = false
    const onKeyDown = ({ key, target, metaKey, ctrlKey, altKey }: KeyboardEvent) => {
      const isTyping = target instanceof Element && target.closest('input,select,textarea,dialog,[contenteditable]')
      if (isTyping || metaKey || ctrlKey || altKey) return
      if (isBegun && key === 'a') navigate('/')
      if (isBegun && key === 'o') navigate(OPERATE)
      isBegun = key === 'g'
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [isOn, navigate])
}
