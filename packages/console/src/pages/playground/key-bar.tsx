import { Link } from 'wouter'
import { useRead } from '../../api/queries.ts'
import { useLanguage, useTexts } from '../../i18n/language.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Bar, formatUsd, Time } from '../../ui/values.tsx'

/** The built-in key that pays for the playground, and how much of its cap is left. */
export function KeyBar() {
  const texts = useTexts()
  const t = texts.playground
  const { locale } = useLanguage()
  const { data: key } = useRead('playground/key', {}, { every: 30_000 })
  const spent = key && formatUsd(key.spent_under_cap_usd, locale)
  const cap = key?.cap_usd ? formatUsd(key.cap_usd, locale) : undefined
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border bg-surface px-4 py-2 text-sm">
      <span>
        {t.key.label} <code className="font-mono">{key ? `…${key.last_four}` : <Skeleton size="h-4 w-10" />}</code>
      </span>
      <span className="flex min-w-40 flex-1 flex-col gap-1">
        {key === undefined ? (
          <Skeleton size="h-4 w-40" />
        ) : cap === undefined ? (
          <span className="text-muted">{t.key.noCap(spent ?? '0')}</span>
        ) : (
          <>
            <span className="text-muted">
              {t.key.spent(spent ?? '0', cap, key.cap_period)}
              {key.cap_resets_at && (
                <>
                  {' · '}
                  {t.key.renews} <Time at={key.cap_resets_at} style="date" />
                </>
              )}
            </span>
            <Bar
              share={Number(key.cap_usd) === 0 ? 1 : Number(key.spent_under_cap_usd) / Number(key.cap_usd)}
              label={texts.common.ofCap(spent ?? '0', cap)}
            />
          </>
        )}
      </span>
      <Link href="/keys" className="text-link hover:underline">
        {t.key.change}
      </Link>
    </div>
  )
}
