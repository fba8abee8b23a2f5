import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { formatCount, roundUsd } from '../../../i18n/figures.ts'
import { useLanguage } from '../../../i18n/language.tsx'
import { Stat } from '../../../ui/page.tsx'
import { Amount, Count, formatDuration, formatUsd, useNumber } from '../../../ui/values.tsx'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { pathOf } from '../../page-ids.ts'
import { requestsOf } from './links.ts'

type Overview = Output<'GET', 'overview'>

/** Against the same time last week. Each leads to the requests that it counts. */
export function Figures({ data }: { data: Overview }) {
  const t = useOperateTexts().overview.figures
  const { locale } = useLanguage()
  const number = useNumber()
  const { figures, week_before: before } = data
  const requestsTo = requestsOf(data)
  const percent = (share: number) => number(share, { style: 'percent', maximumFractionDigits: 1 })
  const change = (now: number, then: number) =>
    then === 0
      ? ''
      : ` (${number(now / then - 1, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' })})`
  const duration = (ms: number) => formatDuration(ms, locale)
  const usd = (amount: string) => `${formatUsd(roundUsd(amount), locale)} USD`
  const lastWeek = (value: string) => (before.requests === 0 ? t.noLastWeek : t.lastWeek(value))
  const token = figures.first_token_ms
  return (
    <div className="mb-6 grid gap-4 wide:grid-cols-2 full:grid-cols-4">
      <Stat
        label={t.requests}
        note={lastWeek(`${formatCount(before.requests, locale)}${change(figures.requests, before.requests)}`)}
      >
        <To href={requestsTo()}>
          <Count value={figures.requests} />
        </To>
      </Stat>
      <Stat
        label={t.errors}
        note={
          <>
            {t.failed(number(figures.failed))}
            {' · '}
            {lastWeek(before.error_share === null ? '' : percent(before.error_share))}
          </>
        }
      >
        <To href={requestsTo({ outcome: 'errors' })}>
          {figures.error_share === null ? '\u2013' : percent(figures.error_share)}
        </To>
      </Stat>
      <Stat
        label={t.firstToken}
        note={
          before.first_token_ms === null
            ? t.noLastWeek
            : t.lastWeek(`${duration(before.first_token_ms.p50)} / ${duration(before.first_token_ms.p95)}`)
        }
      >
        <To href={requestsTo()}>{token === null ? '\u2013' : `${duration(token.p50)} / ${duration(token.p95)}`}</To>
      </Stat>
      <Stat
        label={t.charged}
        note={
          <>
            {figures.margin_usd !== undefined && (
              <>
                <Link href={pathOf('margin')} className="hover:underline">
                  {figures.unknown_costs ? t.marginAtMost : t.margin}: <Amount rounded usd={figures.margin_usd} />
                </Link>
                {figures.unknown_costs ? ` · ${t.unknown(number(figures.unknown_costs))}` : ''}
                {' · '}
              </>
            )}
            {lastWeek(`${usd(before.charged_usd)}${change(Number(figures.charged_usd), Number(before.charged_usd))}`)}
          </>
        }
      >
        <To href={requestsTo()}>
          <Amount rounded usd={figures.charged_usd} />
        </To>
      </Stat>
    </div>
  )
}

const To = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link href={href} className="rounded-sm hover:underline">
    {children}
  </Link>
)
