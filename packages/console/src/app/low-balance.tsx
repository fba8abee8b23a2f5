import { useLocation } from 'wouter'
import { useLanguage } from '../i18n/language.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { Banner } from '../ui/states.tsx'
import { formatUsd } from '../ui/values.tsx'
import { useSession } from './session.tsx'

/** On every page while the available balance is below the threshold that the account holder has chosen. */
export function LowBalance() {
  const { texts, locale } = useLanguage()
  const { is_low: isLow, low_balance_usd: threshold } = useSession()
  const [location] = useLocation()
  if (!isLow || threshold === null) return null
  return (
    <div className="mb-6">
      <Banner
        tone="warn"
        action={location === '/wallet' ? undefined : <ButtonLink href="/wallet">{texts.wallet.topUp.title}</ButtonLink>}
      >
        {texts.wallet.low(formatUsd(threshold, locale))}
      </Banner>
    </div>
  )
}
