// Usage: sums over time, and the account's requests with filters and receipts.

import type { CsvLine } from '../../http-api/files/csv.ts'
import { ApiRejection, badRequest } from '../../http-api/rejection.ts'
import { formatUsd } from '../../money/amount.ts'
import { mapInTurns } from '../../overload/reads/in-turns.ts'
import { showCharge, tokensIn } from '../../paid-call/receipts/show-charge.ts'
import { showReceipt, summarize } from '../../paid-call/receipts/show-receipt.ts'
import { formatRequestId, parseRequestId } from '../../request/ids.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import type { RequestFilter, SpendingFilter, SpendingStep, UsageRow } from '../../storage/storage.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import type { Receipt, RequestPage, RequestQuery, RequestSummary, SeriesQuery, UsageSeries } from '../routes/usage.ts'
import { keyNames } from './key-names.ts'
import { findRejected } from './rejected-requests.ts'
import { isInScope, scopeOf, type Viewer } from './scope.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Hours are shown for a fortnight at most: more points than pixels cannot be seen. */
const MOST_HOURS = 14 * 24
const MOST_DAYS = 800
const PAGE = 50
/** The rows of a CSV file that spreadsheets can open. */
const MOST_CSV_ROWS = 1_000_000
/** So many are read and written at a time, without a pause for other requests. */
const CSV_PAGE = 500

type PeriodQuery = Omit<SeriesQuery, 'by'>

/** The period that a request asks for, with its filters. */
export function periodIn(query: PeriodQuery, now: number): { filter: SpendingFilter; step: SpendingStep } {
  const to = timeOf(query.to) ?? now
  const from = timeOf(query.from) ?? to - 30 * DAY_MS
  if (from >= to) throw badRequest('from', 'from must be before to.')
  const { step = 'day' } = query
  const stepMs = step === 'hour' ? HOUR_MS : DAY_MS
  const most = step === 'hour' ? MOST_HOURS : MOST_DAYS
  if ((to - from) / stepMs > most) throw badRequest('from', `With step=${step}, at most ${most} ${step}s can be shown.`)
  return { filter: { from, to, ...namedIn(query) }, step }
}

export async function showSeries(viewer: Viewer, query: SeriesQuery, deps: ConsoleDependencies): Promise<UsageSeries> {
  const { filter, step } = periodIn(query, deps.clock())
  const { from, to } = filter
  const { by = 'none' } = query
  const points = await deps.store.spending.series(viewer.account.id, { ...filter, ...scopeOf(viewer) }, step, by)
  const keys = by === 'key' ? points.flatMap(({ name }) => (name === '' ? [] : BigInt(name))) : []
  const names = await keyNames(deps.store.keys, keys)
  const labelOf = (name: string): string => (by === 'key' && name !== '' ? names.get(BigInt(name)) : undefined) ?? name
  const sum = points.reduce(
    (total, { requests, tokens, cost }) => ({
      requests: total.requests + requests,
      tokens: total.tokens + tokens,
      cost: total.cost + cost,
    }),
    { requests: 0, tokens: 0, cost: 0n },
  )
  return {
    step,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    points: points.map(({ at, name, requests, tokens, cost }) => ({
      at: new Date(at).toISOString(),
      name,
      label: labelOf(name),
      requests,
      tokens,
      cost_usd: formatUsd(cost),
    })),
    total: { requests: sum.requests, tokens: sum.tokens, cost_usd: formatUsd(sum.cost) },
  }
}

export async function listRequests(
  viewer: Viewer,
  query: RequestQuery,
  deps: ConsoleDependencies,
  limit = PAGE,
): Promise<RequestPage> {
  const { rows, next } = await deps.store.spending.requests(
    viewer.account.id,
    { ...filterIn(query), ...scopeOf(viewer) },
    limit,
  )
  return { items: await requestRows(rows, deps), next: next === undefined ? null : formatRequestId(next) }
}

/** The lines of everything that the filters admit, newest first, page by page, up to a limit. */
export async function* requestLines(
  viewer: Viewer,
  query: RequestQuery,
  deps: ConsoleDependencies,
): AsyncGenerator<CsvLine[], void> {
  let rest = query
  let head = [CSV_HEAD]
  for (let count = 0; count < MOST_CSV_ROWS; ) {
    const { items, next } = await listRequests(viewer, rest, deps, CSV_PAGE)
    count += items.length
    yield [...head, ...items.map((row) => CSV_FIELDS.map((field) => String(row[field] ?? '')))]
    if (next === null) return
    head = []
    rest = { ...query, before: next }
  }
}

const CSV_FIELDS = [
  ...(['request_id', 'at', 'model', 'key_id', 'key_name', 'input_tokens', 'output_tokens', 'cost_usd'] as const),
  ...(['first_token_ms', 'total_ms', 'outcome'] as const),
] satisfies (keyof RequestSummary)[]
const CSV_HEAD: string[] = [...CSV_FIELDS]

export async function requestRows(rows: readonly UsageRow[], deps: ConsoleDependencies): Promise<RequestSummary[]> {
  const names = await keyNames(
    deps.store.keys,
    rows.map(({ key }) => key),
  )
  return mapInTurns(rows, (row) => {
    const { request_id, at, model, key_id, units, cost_usd, timing, outcome } = summarize(row)
    return {
      request_id,
      at,
      model,
      key_id,
      key_name: names.get(row.key) ?? '',
      ...tokensIn(units),
      cost_usd,
      ...timing,
      outcome,
    }
  })
}

export async function showRequestReceipt(
  viewer: Viewer,
  id: string,
  { store, config }: ConsoleDependencies,
): Promise<Receipt> {
  const request = parseRequestId(id)
  const row = request === undefined ? undefined : await store.ledger.findRequest(viewer.account.id, request)
  if (!row) {
    const rejected = await findRejected(viewer, id, store)
    if (rejected) return rejected
  }
  if (!row || !(await isInScope(viewer, row.key, store.keys)))
    throw new ApiRejection({ code: 'not_found', message: `Your account has no request ${id}.` })
  const names = await keyNames(store.keys, [row.key])
  const receipt = showReceipt(row, 'caller', config().server.showUpstreams)
  return {
    ...receipt,
    warnings: [...receipt.warnings],
    key_name: names.get(row.key) ?? '',
    ...showCharge(row),
  }
}

function filterIn({ from, to, outcome, before, ...named }: RequestQuery): RequestFilter {
  const [since, until, last] = [timeOf(from), timeOf(to), before === undefined ? undefined : parseRequestId(before)]
  return {
    ...(since === undefined ? {} : { from: since }),
    ...(until === undefined ? {} : { to: until }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(last === undefined ? {} : { before: last }),
    ...namedIn(named),
  }
}

const namedIn = ({ model, key }: Pick<RequestQuery, 'model' | 'key'>): { model?: string; key?: bigint } => ({
  ...(model === undefined ? {} : { model }),
  ...(key === undefined ? {} : { key: BigInt(key) }),
})

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseIsoTime(text))
