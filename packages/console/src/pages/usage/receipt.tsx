import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/queries.ts'
import type { Receipt } from '../../api/types.ts'
import { useTexts } from '../../i18n/language.tsx'
import { classes } from '../../ui/classes.ts'
import { CopyText } from '../../ui/copy.tsx'
import { DetailDrawer } from '../../ui/loaded.tsx'
import { Facts, Part } from '../../ui/page.tsx'
import { Banner, Skeleton } from '../../ui/states.tsx'
import { Amount, isZero, Time, useNumber } from '../../ui/values.tsx'
import { Charge } from './charge.tsx'
import { OutcomeBadge } from './outcome.tsx'
import { Timing } from './timing.tsx'

/** `id`: empty while nothing is shown. */
export function ReceiptDrawer({ id, onClose }: { id: string; onClose(): void }) {
  const t = useTexts().usage.receipt
  const isOpen = id !== ''
  const query = useRead('requests/{id}', { id }, { enabled: isOpen, every: 'live' })
  return (
    <DetailDrawer
      open={isOpen}
      onClose={onClose}
      title={t.title}
      query={query}
      none={{ title: t.none, text: t.noneText }}
      skeleton={<ReceiptSkeleton />}
    >
      {(receipt) =>
        receipt.state === 'rejected' ? (
          <RejectedDetails receipt={receipt} />
        ) : (
          <ReceiptDetails
            receipt={receipt}
            facts={receipt.error ? [{ label: t.error, value: <code>{receipt.error.code}</code> }] : []}
          />
        )
      }
    </DetailDrawer>
  )
}

/** Nothing was held, called or charged: there is only the reason. */
function RejectedDetails({ receipt: { request_id: id, at, key_name: key, error } }: { receipt: Receipt }) {
  const t = useTexts().usage
  return (
    <>
      <Banner tone="bad">
        {t.rejected.notCharged}
        <span lang="en" className="block wrap-anywhere">
          {error?.message}
        </span>
      </Banner>
      <Facts
        items={[
          { label: t.receipt.error, value: <code>{[error?.status, error?.code].filter(Boolean).join(' ')}</code> },
          { label: t.receipt.at, value: <Time at={at} style="exact" /> },
          { label: t.receipt.id, value: <CopyText text={id} label={t.receipt.id} /> },
          ...fact(t.receipt.key, key),
        ]}
      />
    </>
  )
}

export const ReceiptSkeleton = () => (
  <div className="flex flex-col gap-6">
    <Skeleton size="h-13 w-40" />
    <Skeleton size="h-44 w-full" />
    <Skeleton size="h-48 w-full" />
  </div>
)

type Fact = { label: string; value: ReactNode }
type DetailsProps = {
  receipt: Receipt
  /** In place of the cost alone, where more is known of it. */
  head?: ReactNode
  facts?: readonly Fact[]
  /** The requests with the same tag, end user or session. */
  hrefOf?: HrefOf
  /** In place of the list of attempts. */
  attempts?: ReactNode
  children?: ReactNode
}

/** A receipt, for its account holder; for operators with more. */
export function ReceiptDetails({
  receipt,
  head,
  facts = [],
  hrefOf = ownRequests,
  attempts: timeline,
  children,
}: DetailsProps) {
  const t = useTexts().usage.receipt
  const number = useNumber()
  const { warnings, attempts, timing } = receipt
  const counted = receipt.counted ?? ''
  const isRunning = receipt.state === 'open'
  return (
    <>
      {isRunning && <Banner tone="accent">{t.running}</Banner>}
      {head ?? (
        <div>
          <div className="text-sm text-muted">{isRunning ? t.held : t.cost}</div>
          <div className="text-2xl font-semibold">
            <Amount usd={isRunning ? receipt.held_usd : receipt.cost_usd} />
          </div>
        </div>
      )}
      <Part title={t.howCounted}>
        <Charge receipt={receipt} />
      </Part>
      <Facts
        items={[
          ...facts,
          { label: t.outcome, value: <OutcomeBadge outcome={receipt.outcome} /> },
          { label: t.at, value: <Time at={receipt.at} style="exact" /> },
          { label: t.id, value: <CopyText text={receipt.request_id} label={t.id} /> },
          ...fact(t.model, receipt.model),
          ...fact(t.answeredBy, receipt.answered_by),
          ...fact(t.key, receipt.key_name),
          ...fact(t.group, receipt.group),
          ...attributionFacts(receipt, hrefOf, t),
          ...fact(t.tier, receipt.tier, 'font-mono'),
          ...fact(t.finish, receipt.finish, 'font-mono'),
          ...fact(t.counted, isZero(receipt.cost_usd) ? null : (t.countedBecause[counted] ?? counted)),
          ...fact(t.reasoning, receipt.reasoning_tokens ? number(receipt.reasoning_tokens) : null),
          ...(isRunning ? [] : [{ label: t.held, value: <Amount usd={receipt.held_usd} /> }]),
        ]}
      />
      <Timing {...timing} />
      {timeline}
      {timeline === undefined && attempts.length > 1 && (
        <Part title={t.attempts}>
          <ol className="flex flex-col gap-1">
            {attempts.map(({ model, outcome, upstream }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: attempts are known by their number.
              <li key={index} className="flex flex-wrap items-center gap-2">
                <span className="text-muted">{t.attempt(index + 1)}</span>
                <span className="break-all">{upstream ? `${upstream}: ${model}` : model}</span>
                <OutcomeBadge outcome={outcome} />
              </li>
            ))}
          </ol>
        </Part>
      )}
      <CountedBudgets budgets={receipt.budgets} />
      {warnings.length > 0 && (
        <Part title={t.warnings} text={t.warningsText}>
          <ul className="flex flex-col gap-1 font-mono text-sm break-all">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Part>
      )}
      {children}
    </>
  )
}

/** `filter`: the names and values of the page of requests. */
export type HrefOf = (filter: Readonly<Record<string, string>>) => string
const ownRequests: HrefOf = (filter) => `/usage?${new URLSearchParams({ range: '30d', ...filter })}`

function attributionFacts(
  { tags, end_user: endUser, session }: Receipt,
  hrefOf: HrefOf,
  t: { tags: string; endUser: string; session: string },
): Fact[] {
  const link = (name: string, value: string) => (
    <Link key={value} href={hrefOf({ [name]: value })} className="underline wrap-anywhere">
      {value}
    </Link>
  )
  return [
    ...(tags.length === 0
      ? []
      : [
          {
            label: t.tags,
            value: <span className="flex flex-wrap gap-x-3">{tags.map((tag) => link('tag', tag))}</span>,
          },
        ]),
    ...(endUser ? [{ label: t.endUser, value: link('end_user', endUser) }] : []),
    ...(session ? [{ label: t.session, value: link('session', session) }] : []),
  ]
}

/** Nothing is left of those across accounts that anybody could know. */
function CountedBudgets({ budgets }: Pick<Receipt, 'budgets'>) {
  const { usage, budgets: words } = useTexts()
  const { budgets: title, budgetsText: text } = usage.receipt
  if (budgets.length === 0) return null
  return (
    <Part title={title} text={text}>
      <ul className="flex flex-col gap-1">
        {budgets.map(({ id, kind, value, left_usd: left }) => (
          <li key={id} className="flex flex-wrap items-baseline gap-x-4">
            <span className="break-all text-muted">{[words.kinds[kind], value].filter(Boolean).join(': ')}</span>
            {left !== null && <Amount usd={left} />}
          </li>
        ))}
      </ul>
    </Part>
  )
}

/** `style`: of values of the API, which no language translates. */
const fact = (label: string, value: string | null | undefined, style?: 'font-mono'): Fact[] =>
  value ? [{ label, value: <span className={classes('break-all', style)}>{value}</span> }] : []
