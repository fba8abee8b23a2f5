// Below each answer: what it took, what it cost, and the same request as code.

import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/queries.ts'
import type { Receipt } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { Button } from '../../ui/button.tsx'
import { Popover } from '../../ui/overlay.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { Amount, Duration, useNumber } from '../../ui/values.tsx'
import { OutcomeBadge } from '../usage/outcome.tsx'
import type { Outcome } from './history/outcome.ts'

const POLL_MS = 1_000
/** Outcomes in which the answer looks complete and is not. */
const CUT_SHORT = ['incomplete', 'content_filtered', 'stopped_by_balance']

/** The receipt once the charge is booked; undefined before that. `rejected`: there is none, because nothing was ever held. */
function useReceipt({ requestId, error: failure }: Outcome, isEnded: boolean): Receipt | 'rejected' | undefined {
  const client = useQueryClient()
  const [isBooked, setBooked] = useState(false)
  const { data, error } = useRead(
    'requests/{id}',
    { id: requestId ?? '' },
    {
      enabled: requestId !== undefined && isEnded,
      staleTime: Number.POSITIVE_INFINITY,
      ...(isBooked ? {} : { every: POLL_MS }),
    },
  )
  const isRejected = error?.status === 404 && (failure?.status ?? 0) >= 400
  useEffect(() => setBooked((was) => was || isRejected), [isRejected])
  const isSettled = data !== undefined && data.state !== 'open'
  useEffect(() => {
    if (!isSettled) return
    setBooked(true)
    for (const name of ['playground/key', 'session', 'overview', 'usage', 'requests', 'wallet'])
      void client.invalidateQueries({ queryKey: [name] })
  }, [isSettled, client])
  return isRejected ? 'rejected' : isSettled ? data : undefined
}

/** `code`: shown on demand. `isEnded`: nothing more is charged. */
export function AnswerFacts({
  outcome,
  isEnded = outcome.state !== 'running',
  first,
  code,
  actions,
}: {
  outcome: Outcome
  isEnded?: boolean
  /** What came first. */
  first?: string
  code(): ReactNode
  actions?: ReactNode
}) {
  const t = useTexts().playground
  const number = useNumber()
  const [isCodeOpen, setCodeOpen] = useState(false)
  const { requestId, firstMs, totalMs } = outcome
  const found = useReceipt(outcome, isEnded)
  const isRejected = found === 'rejected'
  const receipt = isRejected ? undefined : found
  const isShort = receipt !== undefined && CUT_SHORT.includes(receipt.outcome)
  const units = Object.entries(receipt?.units ?? {})
  if (!isEnded) return null
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {receipt && <Warnings receipt={receipt} />}
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
        {isRejected && <OutcomeBadge outcome="rejected" />}
        {isShort && (
          <span role="status">
            <OutcomeBadge outcome={receipt.outcome} />
          </span>
        )}
        {receipt?.outcome === 'stopped_by_balance' && (
          <Link href="/wallet" className="text-link hover:underline">
            {t.mend.wallet}
          </Link>
        )}
        {units.map(([name, count]) => (
          <span key={name}>{(t.units[name] ?? t.unit(name))(number(count))}</span>
        ))}
        {requestId !== undefined && (
          <span className="inline-flex items-center gap-1">
            {t.cost} {isRejected ? <NotCharged /> : <Cost receipt={receipt} />}
          </span>
        )}
        {firstMs !== undefined && (
          <span>
            {first ?? t.first} <Duration ms={firstMs} />
          </span>
        )}
        {totalMs !== undefined && (
          <span>
            {t.total} <Duration ms={totalMs} />
          </span>
        )}
      </div>
      <div className="-ml-2 flex flex-wrap items-center gap-1">
        {actions}
        <Button small variant="quiet" aria-expanded={isCodeOpen} onClick={() => setCodeOpen(!isCodeOpen)}>
          {t.code}
        </Button>
        {requestId !== undefined && !isRejected && (
          <Link
            href={`/usage?request=${encodeURIComponent(requestId)}`}
            title={requestId}
            className="inline-flex h-7 items-center rounded-md px-2 text-sm font-medium hover:bg-raised"
          >
            {t.receipt}
          </Link>
        )}
      </div>
      {isCodeOpen && code()}
    </div>
  )
}

function NotCharged() {
  const t = useTexts().playground
  return (
    <>
      <Amount usd="0.00" /> ({t.notCharged})
    </>
  )
}

/** The outcome says the same in words. */
const STOPPED = 'output;stopped-by-balance'

/** What the gateway changed or left out on the way to the model. */
function Warnings({ receipt }: { receipt: Receipt }) {
  const t = useTexts().usage.receipt
  const warnings = receipt.warnings.filter((each) => each !== STOPPED || receipt.outcome !== 'stopped_by_balance')
  if (warnings.length === 0) return null
  return (
    <p className="text-sm text-muted">
      {t.warnings}: <span className="font-mono break-all">{warnings.join(', ')}</span>
    </p>
  )
}

function Cost({ receipt }: { receipt: Receipt | undefined }) {
  const t = useTexts().playground
  if (!receipt) return <Skeleton size="h-4 w-20" />
  if (receipt.formula === null) return <Amount usd={receipt.cost_usd} />
  return (
    <Popover
      label={t.formula}
      trigger={
        <button
          type="button"
          title={t.formula}
          className="rounded-sm text-ink underline decoration-dotted underline-offset-2"
        >
          <Amount usd={receipt.cost_usd} />
        </button>
      }
    >
      <p className="font-mono text-sm break-words">{receipt.formula}</p>
    </Popover>
  )
}
