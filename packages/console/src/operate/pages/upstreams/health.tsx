// Health of an upstream in words and colour, and its last hours as small bars.
import { useLanguage } from '../../../i18n/language.tsx'
import { Badge, type Tone } from '../../../ui/states.tsx'
import { useNumber } from '../../../ui/values.tsx'
import type { Row } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'

export type Figures = Row<'upstream-figures'>

const TONES: Readonly<Record<Figures['health'], Tone>> = {
  ready: 'good',
  degraded: 'warn',
  down: 'bad',
  draining: 'warn',
  disabled: 'plain',
  unknown: 'plain',
}

export function HealthBadge({ health }: { health: Figures['health'] }) {
  return <Badge tone={TONES[health]}>{useOperateTexts().upstreams.health[health]}</Badge>
}

/** One bar for each hour: grey without calls, green, amber from 1 % of errors, red from 10 %. The title of each has its numbers. */
export function Hours({ hours }: { hours: Figures['hours'] }) {
  const t = useOperateTexts().upstreams
  const { locale } = useLanguage()
  const time = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
  const sum = (name: 'requests' | 'failed') => hours.reduce((all, each) => all + each[name], 0)
  return (
    <svg
      role="img"
      aria-label={t.hoursSummary(sum('requests'), sum('failed'))}
      viewBox={`0 0 ${hours.length * 4} 16`}
      preserveAspectRatio="none"
      className="block h-4 w-full min-w-24 max-w-40"
    >
      {hours.map(({ hour, requests, failed }, index) => (
        <rect key={hour} x={index * 4} width="3" height="16" rx="0.5" className={colourOf(requests, failed)}>
          <title>{t.hour(time.format(new Date(hour)), requests, failed)}</title>
        </rect>
      ))}
    </svg>
  )
}

function colourOf(requests: number, failed: number): string {
  if (requests === 0) return 'fill-raised'
  const share = failed / requests
  return share >= 0.1 ? 'fill-danger' : share >= 0.01 ? 'fill-warn' : 'fill-good'
}

export function ErrorRate({ figures: { requests, failed } }: { figures: Pick<Figures, 'requests' | 'failed'> }) {
  const number = useNumber()
  if (requests === 0) return <>{'\u2013'}</>
  return <>{number(failed / requests, { style: 'percent', maximumFractionDigits: 2 })}</>
}
