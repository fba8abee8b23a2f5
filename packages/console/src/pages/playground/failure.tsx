import { Link } from 'wouter'
import type { ApiError } from '../../api/client.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Banner, useErrorMessage } from '../../ui/states.tsx'

/** What a failed call lacks, by the codes of all protocols, and the page where it can be mended. */
const LACKS: Readonly<Record<string, 'keys' | 'wallet'>> = {
  ...{ key_quota_exceeded: 'keys', QuotaExceeded: 'keys' },
  ...{ insufficient_balance: 'wallet', AccountOverdueError: 'wallet' },
}

export function Failure({ error }: { error: ApiError }) {
  const texts = useTexts()
  const t = texts.playground
  const message = useErrorMessage()
  const place = LACKS[error.code]
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
      {place ? t.lacks[place] : (t.errors[error.code] ?? message(error))}
      {error.requestId && <span className="block font-mono text-xs">{texts.common.requestId(error.requestId)}</span>}
    </Banner>
  )
}
