// One request: what was charged, what it cost and what is left, what the client got, which upstreams were tried, and what can be done.

import { Link } from 'wouter'
import type { Receipt } from '../../../api/types.ts'
import { OutcomeBadge } from '../../../pages/usage/outcome.tsx'
import { ReceiptDetails, ReceiptSkeleton } from '../../../pages/usage/receipt.tsx'
import { nanosOf, usdText } from '../../../pages/usage/series.ts'
import { CopyText } from '../../../ui/copy.tsx'
import { DetailDrawer } from '../../../ui/loaded.tsx'
import { Facts, Part } from '../../../ui/page.tsx'
import { Amount, Duration, isZero } from '../../../ui/values.tsx'
import { LIVE, useAdmin } from '../../api/queries.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { LINKS, pageLink } from '../../links.ts'
import { useMay } from '../../ui/permissions.ts'
import { AccountLink, type ShownRequest } from './columns.tsx'
import { Refund } from './refund.tsx'
import { RouteNow } from './route-now.tsx'

/** `id`: empty while nothing is shown. */
export function RequestDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const t = useOperateTexts().requests
  const isOpen = id !== ''
  const query = useAdmin('requests/{request}', { request: id }, { enabled: isOpen, every: LIVE })
  return (
    <DetailDrawer
      open={isOpen}
      onClose={onClose}
      title={t.request}
      query={query}
      none={{ title: t.none, text: t.noneText }}
      skeleton={<ReceiptSkeleton />}
    >
      {(request) => <Shown request={request} />}
    </DetailDrawer>
  )
}

function Shown({ request }: { request: ShownRequest }) {
  const t = useOperateTexts().requests
  const revision = request.configuration?.revision
  const { client_request_id: clientId, upstream_request_id: vendorId } = request
  return (
    <ReceiptDetails
      receipt={receiptOf(request)}
      head={<Figures request={request} />}
      hrefOf={(filter) => pageLink('requests', { range: '30d', account: request.account_id, ...filter })}
      facts={[
        { label: t.account, value: <AccountLink id={request.account_id} name={request.account} /> },
        ...(revision ? [{ label: t.revision, value: <RevisionLink revision={revision} /> }] : []),
        ...(clientId ? [{ label: t.clientId, value: <CopyText text={clientId} label={t.clientId} /> }] : []),
        ...(vendorId ? [{ label: t.vendorId, value: <CopyText text={vendorId} label={t.vendorId} /> }] : []),
      ]}
      attempts={<Attempts request={request} />}
    >
      <Response request={request} />
      <RouteNow model={request.model} apiKey={request.key_id} />
      <Refund key={request.refunded_usd} request={request} />
    </ReceiptDetails>
  )
}

/** As its account holder gets it. */
const receiptOf = (request: ShownRequest): Receipt => ({
  ...request,
  request_id: request.id,
  key_name: request.key ?? request.key_id,
})

function RevisionLink({ revision }: { revision: number }) {
  return (
    <Link href={LINKS.revision(String(revision))} className="hover:underline">
      {revision}
    </Link>
  )
}

/** Charged, cost and margin in one row; the margin has a sign, and is never guessed. */
function Figures({ request }: { request: ShownRequest }) {
  const t = useOperateTexts().requests
  const may = useMay()
  const { state, held_usd, cost_usd, refunded_usd, upstream_cost_usd: paid } = request
  if (state === 'open') return <Figure label={t.held} usd={held_usd} isLarge />
  const margin = typeof paid === 'string' ? usdText(nanosOf(cost_usd) - nanosOf(refunded_usd) - nanosOf(paid)) : null
  return (
    <div className="flex flex-wrap gap-x-8 gap-y-3">
      <Figure label={t.charged} usd={cost_usd} isLarge />
      {!isZero(refunded_usd) && <Figure label={t.refunded} usd={`-${refunded_usd}`} isLarge />}
      {may('see_costs') && (
        <>
          <Figure label={t.paid} usd={paid ?? null} isLarge />
          <Figure label={t.margin} usd={margin} isLarge isBad={margin?.startsWith('-') ?? false} />
        </>
      )}
    </div>
  )
}

type FigureProps = { label: string; usd: string | null; isLarge?: boolean; isBad?: boolean }

function Figure({ label, usd, isLarge = false, isBad = false }: FigureProps) {
  const t = useOperateTexts().requests
  return (
    <div>
      <div className="text-sm text-muted">{label}</div>
      <div className={`font-semibold ${isLarge ? 'text-lg' : ''} ${isBad ? 'text-bad' : ''}`}>
        {usd === null ? t.unknown : <Amount usd={usd} />}
      </div>
    </div>
  )
}

/** In the order in which upstreams were asked. */
function Attempts({ request: { attempts } }: { request: ShownRequest }) {
  const t = useOperateTexts().requests
  return (
    <Part title={t.attempts}>
      <ol className="flex flex-col">
        {attempts.map((attempt, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: attempts are known by their number.
          <li key={index} className="relative flex gap-3 pb-3 last:pb-0">
            <span aria-hidden="true" className="flex flex-col items-center">
              <span className="mt-1.5 size-2 shrink-0 rounded-full bg-edge" />
              {index < attempts.length - 1 && <span className="-mb-4.5 w-px flex-1 bg-line" />}
            </span>
            <AttemptFacts attempt={attempt} />
          </li>
        ))}
      </ol>
    </Part>
  )
}

type Attempt = ShownRequest['attempts'][number]

/** For a failed attempt, what the upstream answered, and in its own words why. */
function AttemptFacts({ attempt }: { attempt: Attempt }) {
  const t = useOperateTexts().requests
  const { upstream, model, upstream_model, outcome, error, status, duration_ms: ms } = attempt
  const { vendor_code, vendor_message, reason } = attempt
  const said = [vendor_code, vendor_message].filter(Boolean).join(': ')
  const why = error === undefined ? undefined : (t.reasons[error] ?? reason)
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Link href={LINKS.upstream(upstream)} className="font-medium hover:underline">
          {upstream}
        </Link>
        <span className="break-all text-muted">{upstream_model ?? model}</span>
        <OutcomeBadge
          outcome={error === undefined || outcome === 'timeout' || outcome === 'cut' ? outcome : 'failed'}
        />
        {error !== undefined && (
          <span className="text-sm text-muted">
            {status === null ? t.noAnswer : <span className="tabular-nums">{status}</span>}
            {typeof ms === 'number' && (
              <>
                {' · '}
                <Duration ms={ms} />
              </>
            )}
          </span>
        )}
      </span>
      {why && <p className="text-sm">{why}</p>}
      {said !== '' && (
        <p lang="en" className="font-mono text-xs wrap-anywhere text-muted">
          {said}
        </p>
      )}
    </div>
  )
}

function Response({ request: { response, state } }: { request: ShownRequest }) {
  const t = useOperateTexts().requests
  if (state === 'open') return null
  const { status, code, message } = response
  return (
    <Part title={t.response}>
      <Facts
        items={[
          { label: t.status, value: status ?? t.noStatus },
          ...(code === null ? [] : [{ label: t.code, value: <span className="font-mono text-sm">{code}</span> }]),
          ...(message === null ? [] : [{ label: t.message, value: <span lang="en">{message}</span> }]),
        ]}
      />
    </Part>
  )
}
