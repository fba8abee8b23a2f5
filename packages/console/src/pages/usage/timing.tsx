import type { Receipt } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Part } from '../../ui/page.tsx'
import { Duration } from '../../ui/values.tsx'

/** When the first token came, and how long the rest took, on one scale. */
export function Timing({ first_token_ms: first, total_ms: total }: Receipt['timing']) {
  const t = useTexts().usage.receipt
  if (total === null) return null
  const until = Math.min(first ?? total, total)
  const parts = [
    { label: first === null ? t.response : t.firstToken, ms: until, from: 0, colour: 'text-chart-2' },
    ...(total > until ? [{ label: t.rest, ms: total - until, from: until, colour: 'text-chart-1' }] : []),
  ]
  return (
    <Part title={t.timing}>
      <div className="flex flex-col gap-1">
        {parts.map(({ label, ms, from, colour }) => (
          <div key={label} className="grid grid-cols-[96px_1fr_72px] items-center gap-2">
            <span className="text-sm text-muted">{label}</span>
            <svg aria-hidden="true" viewBox="0 0 100 8" preserveAspectRatio="none" className={`h-2 w-full ${colour}`}>
              <rect width="100" height="8" className="fill-raised" />
              <rect
                x={(100 * from) / Math.max(total, 1)}
                width={Math.max(1, (100 * ms) / Math.max(total, 1))}
                height="8"
                fill="currentColor"
              />
            </svg>
            <span className="text-right text-sm">
              <Duration ms={ms} />
            </span>
          </div>
        ))}
        <div className="flex justify-between border-t pt-1">
          <span className="text-sm text-muted">{t.total}</span>
          <span className="text-sm">
            <Duration ms={total} />
          </span>
        </div>
      </div>
    </Part>
  )
}
