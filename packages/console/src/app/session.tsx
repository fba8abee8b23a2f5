// Who is signed in. Pages below `SignedIn` can rely on it.

import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useRef } from 'react'
import { Redirect, useLocation, useSearch } from 'wouter'
import { forgetAnswers, post, showAccount } from '../api/client.ts'
import { refreshLive, useRead } from '../api/queries.ts'
import type { SessionInfo } from '../api/types.ts'
import { ErrorState, useErrorMessage } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'
import { LayoutSkeleton } from './layout-skeleton.tsx'
import { askToLeave, useIsShownOnce } from './leave-guard.tsx'
import { SignInAgain } from './sign-in-again.tsx'

/** Kept for this tab: the sign-in page tells a person who was signed in why it is there. */
const WAS_SIGNED_IN = 'trivium-signed-in'

export const hasSessionEnded = (): boolean => sessionStorage.getItem(WAS_SIGNED_IN) !== null

const Context = createContext<SessionInfo | undefined>(undefined)

/** Shows its children to a signed-in account; everyone else gets the sign-in page, and comes back here. */
export function SignedIn({ children }: { children: ReactNode }) {
  const [path] = useLocation()
  const search = useSearch()
  const { data, error, refetch } = useRead('session', {}, { every: 'live' })
  useLiveRefresh(data)
  useShownAccount(data)
  const isShownOnce = useIsShownOnce()
  const email = data?.account.email
  useEffect(() => {
    if (email !== undefined) sessionStorage.setItem(WAS_SIGNED_IN, '1')
  }, [email])
  const hasEnded = error?.status === 401
  if (hasEnded && !data) {
    const next = path === '/' ? '' : `?next=${encodeURIComponent(path + (search ? `?${search}` : ''))}`
    return <Redirect to={`/sign-in${next}`} replace />
  }
  if (data)
    return (
      <Context value={data}>
        {/* The page stays, with what was typed and with a secret that is shown once. */}
        {hasEnded && <SignInAgain email={data.account.email} isOpen={!isShownOnce} />}
        {children}
      </Context>
    )
  if (error) {
    return (
      <main>
        <ErrorState error={error} retry={refetch} />
      </main>
    )
  }
  return <LayoutSkeleton />
}

/** Another tab may have chosen another account: then nothing of the former one may stay on screen. */
function useShownAccount(session: SessionInfo | undefined): void {
  const client = useQueryClient()
  const id = session?.account.id
  useEffect(() => {
    if (id === undefined) return
    const former = showAccount(id)
    if (former === undefined || former === id) return
    forgetAnswers()
    void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'about' && queryKey[0] !== 'session' })
  }, [client, id])
}

/** The balance beside a page must not differ from what the page shows. */
function useLiveRefresh(session: SessionInfo | undefined): void {
  const client = useQueryClient()
  const { balance_usd: balance, held_usd: held } = session ?? {}
  const former = useRef<{ balance: string | undefined; isHeld: boolean }>(undefined)
  useEffect(() => {
    if (balance === undefined) return
    const isHeld = Number(held) !== 0
    const before = former.current
    former.current = { balance, isHeld }
    // While something runs, pages read often by themselves.
    if (before && (before.isHeld !== isHeld || (!isHeld && before.balance !== balance))) void refreshLive(client)
  }, [client, balance, held])
}

export function useSession(): SessionInfo {
  const session = useContext(Context)
  if (!session) throw new Error('SignedIn is missing')
  return session
}

/** After sign-in or sign-out nothing of the former session may stay on screen. */
export function useSessionChange(): (to: string) => void {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  return (to) => {
    sessionStorage.removeItem(WAS_SIGNED_IN)
    showAccount(undefined)
    forgetAnswers()
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'about' })
    navigate(to, { replace: true })
  }
}

export function useSignOut(): () => void {
  const changeSession = useSessionChange()
  const signOut = async () => {
    await post('sign-out')
    changeSession('/sign-in')
  }
  return () => askToLeave(signOut)
}

export function useSwitchAccount(): (account: string) => void {
  const changeSession = useSessionChange()
  const toast = useToast()
  const message = useErrorMessage()
  const switchAccount = async (account: string) => {
    const result = await post('session/account', { account })
    if (result.ok) changeSession('/')
    else toast(message(result.error), 'bad')
  }
  return (account) => askToLeave(() => switchAccount(account))
}

/** The page that asked for the sign-in; only paths of the console. */
export function useNextPath(): string {
  const next = new URLSearchParams(useSearch()).get('next') ?? '/'
  return /^\/(?![/\\])/.test(next) ? next : '/'
}
