import { useLocation } from 'wouter'
import { useLanguage } from '../i18n/language.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Banner } from '../ui/states.tsx'
import { formatUsd } from '../ui/values.tsx'
import { OPERATE } from './operate-path.ts'
import { useSession } from './session.tsx'

/** On every page while nothing is available, or less than the threshold that the account holder has chosen. */
export function LowBalance() {
  const { texts, locale } = useLanguage()
  const { account, gateway_role: role } = useSession()
  const { id } = account
  const { is_low: isLow, low_balance_usd: threshold, available_usd: available, held_usd: held } = useSession()
  const [location] = useLocation()
  const isEmpty = isNothing(available)
  if (!isEmpty && (!isLow || threshold === null)) return null
  const shown = formatUsd(available, locale)
  const t = texts.wallet
  return (
    <div className="mb-6">
      <Banner
        tone={isEmpty ? 'bad' : 'warn'}
        action={
          isEmpty && mayCredit(role) ? (
            <ButtonLink href={`${OPERATE}/accounts/${id}`}>{t.addInOperate}</ButtonLink>
          ) : location === '/wallet' ? undefined : (
            <ButtonLink href="/wallet">{t.topUp.title}</ButtonLink>
          )
        }
      >
        {isEmpty
          ? isNothing(held)
            ? t.empty(shown)
            : t.emptyWhileHeld(shown, formatUsd(held, locale))
          : t.low(shown, formatUsd(threshold ?? '0', locale))}
      </Banner>
    </div>
  )
}

/** Roles that add credit to any account, their own included. */
const mayCredit = (role: string | null): boolean => role !== null && CREDITING.has(role)
const CREDITING: ReadonlySet<string> = new Set(['owner', 'admin', 'finance'])

/** `unlimited` is not nothing. */
const isNothing = (usd: string): boolean => Number(usd) <= 0

/** Whether requests that cost something are rejected now. */
export const useHasNoFunds = (): boolean => isNothing(useSession().available_usd)
