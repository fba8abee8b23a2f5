import type { Receipt } from '@trivium/gateway/console-api/types.ts'
import { useRead } from '../../api/queries.ts'
import { useTexts } from '../../i18n/language.tsx'
import { CopyText } from '../../ui/copy.tsx'
import { Drawer } from '../../ui/dialog.tsx'
import { Facts, Part } from '../../ui/page.tsx'
import { Banner, ErrorState, Skeleton } from '../../ui/states.tsx'
import { Amount, Duration, Time, useNumber } from '../../ui/values.tsx'
import { Ending } from './ending.tsx'

/** `id`: empty while nothing is shown. */
export function ReceiptDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const t = useTexts().usage.receipt
  const isOpen = id !== ''
  const { data, error, refetch } = useRead(`requests/${id}`, {}, { enabled: isOpen, every: 5_000 })
  return (
    <Drawer open={isOpen} onClose={onClose} title={t.title}>
      {error && !data ? <ErrorState error={error} retry={refetch} /> : data ? <Shown receipt={data} /> : <Waiting />}
    </Drawer>
  )
}

const Waiting = () => (
  <div className="flex flex-col gap-4">
    <Skeleton size="h-8 w-40" />
    <Skeleton size="h-16 w-full" />
    <Skeleton size="h-48 w-full" />
  </div>
)

function Shown({ receipt }: { receipt: Receipt }) {
  const t = useTexts().usage.receipt
  const number = useNumber()
  const { units, formula, warnings, attempts, timing } = receipt
  const isRunning = receipt.state === 'open'
  return (
    <div className="flex flex-col gap-6">
      {isRunning && <Banner tone="accent">{t.running}</Banner>}
      <div>
        <div className="text-sm text-muted">{isRunning ? t.held : t.cost}</div>
        <div className="text-2xl font-semibold">
          <Amount usd={isRunning ? receipt.held_usd : receipt.cost_usd} />
        </div>
      </div>
      <Part title={t.howCounted}>
        {formula === null ? (
          <p className="text-muted">{t.noFormula}</p>
        ) : (
          <p className="rounded-md border bg-canvas px-3 py-2 font-mono text-sm break-words">{formula}</p>
        )}
      </Part>
      {units && (
        <Part title={t.units}>
          <Facts
            items={Object.entries(units).map(([name, count]) => ({
              label: name.replaceAll('_', ' '),
              value: number(count),
            }))}
          />
        </Part>
      )}
      <Facts
        items={[
          { label: t.outcome, value: <Ending ending={receipt.ending} /> },
          { label: t.at, value: <Time at={receipt.at} style="exact" /> },
          { label: t.model, value: <span className="break-all">{receipt.model}</span> },
          ...fact(t.answeredBy, receipt.answered_by),
          ...fact(t.group, receipt.group),
          ...fact(t.finish, receipt.finish),
          ...fact(t.counted, receipt.counted),
          ...(isRunning ? [] : [{ label: t.held, value: <Amount usd={receipt.held_usd} /> }]),
          ...(Number(receipt.shortfall_usd) > 0
            ? [{ label: t.shortfall, value: <Shortfall usd={receipt.shortfall_usd} note={t.shortfallNote} /> }]
            : []),
          { label: t.id, value: <CopyText text={receipt.request_id} label={t.id} /> },
        ]}
      />
      <Timing {...timing} />
      {attempts.length > 1 && (
        <Part title={t.attempts}>
          <ol className="flex flex-col gap-1">
            {attempts.map(({ model, outcome, upstream }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: attempts are known by their number.
              <li key={index} className="flex flex-wrap items-center gap-2">
                <span className="text-muted">{t.attempt(index + 1)}</span>
                <span className="break-all">{upstream ? `${upstream}: ${model}` : model}</span>
                <Ending ending={outcome} />
              </li>
            ))}
          </ol>
        </Part>
      )}
      {warnings.length > 0 && (
        <Part title={t.warnings} text={t.warningsText}>
          <ul className="flex flex-col gap-1 font-mono text-sm break-all">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Part>
      )}
    </div>
  )
}

const fact = (label: string, value: string | null | undefined) =>
  value ? [{ label, value: <span className="break-all">{value}</span> }] : []

function Shortfall({ usd, note }: { usd: string; note: string }) {
  return (
    <>
      <Amount usd={usd} /> <span className="text-sm text-muted">{note}</span>
    </>
  )
}

/** When the first token came, and how long the rest took, on one scale. */
function Timing({ first_token_ms: first, total_ms: total }: Receipt['timing']) {
  const t = useTexts().usage.receipt
  if (total === null) return null
  const until = Math.min(first ?? total, total)
  const parts = [
    { label: t.firstToken, ms: until, from: 0, colour: 'text-chart-2' },
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
