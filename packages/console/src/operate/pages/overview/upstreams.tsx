import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useLanguage } from '../../../i18n/language.tsx'
import { Section } from '../../../ui/page.tsx'
import { Amount, formatDuration, useNumber } from '../../../ui/values.tsx'
import type { Output } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS } from '../../links.ts'
import { HealthBadge } from '../upstreams/health.tsx'
import { type RequestsLink, requestsOf } from './links.ts'

type Overview = Output<'GET', 'overview'>
type Tile = Overview['upstreams'][number]

export function Upstreams({ data }: { data: Overview }) {
  const { upstreams } = data
  const requestsTo = requestsOf(data)
  const t = useOperateTexts().overview.upstreams
  return (
    <Section title={t.title}>
      {upstreams.length === 0 && <p className="text-muted">{t.none}</p>}
      <ul className="grid gap-3 wide:grid-cols-2">
        {upstreams.map((tile) => (
          <UpstreamTile key={tile.id} tile={tile} requestsTo={requestsTo} />
        ))}
      </ul>
    </Section>
  )
}

function UpstreamTile({ tile, requestsTo }: { tile: Tile; requestsTo: RequestsLink }) {
  const t = useOperateTexts().overview.upstreams
  const { locale } = useLanguage()
  const number = useNumber()
  const percent = (share: number) => number(share, { style: 'percent', maximumFractionDigits: 1 })
  const { id, state, share, requests, failed, first_token_ms: token, charged_usd, upstream_cost_usd: cost } = tile
  const money = cost === undefined ? [t.charged, charged_usd] : [tile.unknown_costs ? t.costAtLeast : t.cost, cost]
  return (
    <li className="min-w-0 rounded-md border px-3 py-2 in-data-stale:text-muted">
      <div className="flex items-center justify-between gap-2">
        <Link href={LINKS.upstream(id)} className="min-w-0 truncate font-medium hover:underline" title={id}>
          {id}
        </Link>
        <HealthBadge health={state} />
      </div>
      {requests === 0 ? (
        <p className="mt-1 text-sm text-muted">{t.noTraffic}</p>
      ) : (
        <dl className="mt-1 flex flex-wrap gap-x-4 text-sm">
          <Fact
            label={t.share}
            value={share === null ? '\u2013' : percent(share)}
            href={requestsTo({ upstream: id })}
          />
          <Fact
            label={t.errors}
            value={percent(failed / requests)}
            href={requestsTo({ upstream: id, outcome: 'errors' })}
          />
          <Fact label={t.p95} value={token === null ? '\u2013' : formatDuration(token.p95, locale)} />
          <Fact label={money[0] ?? ''} value={<Amount rounded usd={money[1] ?? '0.00'} />} />
        </dl>
      )}
    </li>
  )
}

function Fact({ label, value, href }: { label: string; value: ReactNode; href?: string }) {
  return (
    <div className="flex gap-1.5 whitespace-nowrap">
      <dt className="text-muted">{label}</dt>
      <dd className="tabular-nums">
        {href === undefined ? (
          value
        ) : (
          <Link href={href} className="hover:underline">
            {value}
          </Link>
        )}
      </dd>
    </div>
  )
}
