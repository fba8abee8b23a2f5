import { Link } from 'wouter'
import type { ApiError } from '../../api/client.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Banner, useErrorMessage } from '../../ui/states.tsx'

/** Where a failed call can be mended: the cap of the built-in key, or the wallet. */
const PLACES: Readonly<Record<string, 'keys' | 'wallet'>> = {
  key_cap_reached: 'keys',
  insufficient_balance: 'wallet',
}

export function Failure({ error }: { error: ApiError }) {
  const texts = useTexts()
  const t = texts.playground
  const message = useErrorMessage()
  const place = PLACES[error.code]
  return (
    <Banner
      tone="bad"
      {...(place
        ? {
            action: (
              <Link href={`/${place}`} className="font-medium underline">
                {t.mend[place]}
              </Link>
            ),
          }
        : {})}
    >
      {t.errors[error.code] ?? message(error)}
      {error.requestId && <span className="block font-mono text-xs">{texts.common.requestId(error.requestId)}</span>}
    </Banner>
  )
}
