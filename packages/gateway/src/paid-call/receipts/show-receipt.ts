// A receipt as callers see it and, with what only concerns the operator, as the command line shows it. Pure.

import { ERRORS, type ErrorCode } from '@trivium/protocol/canonical/error.ts'
import { formatMillionths, formatUsd } from '../../money/amount.ts'
import { HELD, REAPED, type RequestState, SETTLED, VOIDED } from '../../money/ledger.ts'
import {
  type ChargeLines,
  formulaOf,
  isPriceTerm,
  isUnitFigure,
  linesOf,
  type PricedReceipt,
} from '../../money/prices/receipt.ts'
import type { AttemptFacts } from '../../observe/upstream-attempt.ts'
import { formatRequestId, timeOfId } from '../../request/ids.ts'
import { DELIVERED_OUTCOMES, FAILED_OUTCOMES, type UsageRow } from '../../storage/storage.ts'
import { type StoredBudget, showBudgets } from '../budgets/on-receipts.ts'
import type { AttemptEntry } from '../paid-request.ts'

/** `viewer`: of the operators, one who may not see costs. */
export type Audience = 'caller' | 'viewer' | 'operator'

const STATES: Readonly<Record<RequestState, string>> = {
  [HELD]: 'open',
  [SETTLED]: 'settled',
  [VOIDED]: 'voided',
  // Its outcome is unknown; the gateway that began it may still correct it.
  [REAPED]: 'reaped',
}

/** As receipt.ts writes it; older versions wrote less. */
type Stored = {
  ids?: { client?: string; upstream?: string }
  group?: string
  /** Failed attempts, and the upstream and model that answered. */
  attempts?: readonly AttemptEntry[]
  upstream?: string
  model?: string
  upstream_model?: string
  configuration?: { revision: number; file: string | null }
  units?: Readonly<Record<string, number>>
  tools?: Readonly<Record<string, number>>
  tier?: string
  counted?: string
  reasoning_tokens?: number
  finish?: string
  error?: AttemptFacts & { code: string; upstream_request_id?: string; message?: string }
  first_token_ms?: number
  total_ms?: number
  warnings?: readonly string[]
  budgets?: readonly StoredBudget[]
  upstream_cost?: string
  price?: PricedReceipt['price']
}

/** Callers see upstreams if the operator allows it: `server.show_upstreams`. */
export function showReceipt(row: UsageRow, audience: Audience, showUpstreams = audience !== 'caller') {
  const receipt = wholeReceipt(row, audience)
  if (showUpstreams) return receipt
  // The form of the vendor's id tells which vendor it is.
  const { upstream: _, upstream_request_id: __, attempts, error, ...rest } = receipt
  return {
    ...rest,
    attempts: attempts.map(({ upstream: _, ...attempt }) => attempt),
    error: error && { code: error.code, status: error.status },
  }
}

/** What lists show of a request. Prices and formulas, which cost most of the time, are left to the receipt. */
export function summarize(row: UsageRow) {
  const stored = parsed(row.receipt)
  return {
    request_id: formatRequestId(row.request),
    at: new Date(timeOfId(row.request)).toISOString(),
    key_id: String(row.key),
    model: row.model,
    units: unitsOf(stored),
    cost_usd: formatUsd(row.cost),
    timing: timingOf(stored),
    outcome: outcomeOf(row),
    error_code: stored.error?.code ?? null,
    status: statusOf(row, stored),
  }
}

/** What the client got, as far as it is kept; a response that had begun carried its error at the end. */
export function responseOf(row: UsageRow) {
  const stored = parsed(row.receipt)
  const { code = null, message = null } = stored.error ?? {}
  return { status: statusOf(row, stored), code, message }
}

/** How the last attempt at the upstream failed: its status, or what else ended it. */
export function failureAt(row: UsageRow, upstream: string): string | undefined {
  const { attempts = [], error, upstream: last = row.upstream } = parsed(row.receipt)
  if (error && last === upstream) return String(error.status ?? error.code)
  const failed = attempts.findLast((attempt) => attempt.upstream === upstream)
  return failed && String(failed.status ?? failed.outcome)
}

/** Null: it is not known, or the client disconnected before a response. The filter of lists by status says the same in SQL. */
function statusOf({ outcome, state }: UsageRow, { error, first_token_ms }: Stored): number | null {
  if (state === HELD) return null
  if (first_token_ms !== undefined || isOneOf(DELIVERED_OUTCOMES, outcome)) return 200
  const code = error?.code ?? ''
  return isOneOf(FAILED_OUTCOMES, outcome) && isErrorCode(code) ? ERRORS[code].status : null
}

const isOneOf = (outcomes: readonly string[], outcome: string): boolean => outcomes.includes(outcome)
const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code)

/** `cost_usd` is what was paid. The formula gives that and the shortfall, which was owed and is the operator's loss. */
function wholeReceipt(row: UsageRow, audience: Audience) {
  const stored = parsed(row.receipt)
  const outcome = outcomeOf(row)
  const receipt = {
    request_id: formatRequestId(row.request),
    /** From `x-client-request-id`, or the trace id of `traceparent`. */
    client_request_id: stored.ids?.client ?? null,
    upstream_request_id: stored.ids?.upstream ?? stored.error?.upstream_request_id ?? null,
    at: new Date(timeOfId(row.request)).toISOString(),
    key_id: String(row.key),
    /** What it counts under, with the tags of the key; end users as they are kept. */
    tags: [...row.tags],
    end_user: row.endUser || null,
    session: row.session || null,
    /** The budgets that it counted against, and what was left under each before it. */
    budgets: showBudgets(stored.budgets ?? [], audience !== 'caller'),
    model: row.model,
    group: stored.group ?? null,
    /** What it was priced by: the revision of the stored configuration, and a hash of the file. */
    configuration: stored.configuration ?? null,
    upstream: stored.upstream ?? row.upstream,
    /** Which model answered, if it was a fallback. */
    ...(stored.model !== undefined && stored.model !== row.model ? { answered_by: stored.model } : {}),
    attempts: [
      ...(stored.attempts ?? []).map((attempt) => failedAttempt(attempt, audience)),
      attemptOf(row, stored, outcome, audience),
    ],
    state: STATES[row.state],
    outcome,
    finish: stored.finish ?? null,
    /** Why it failed: the code of the error, and what the upstream's response said. */
    error: stored.error ? errorOf(stored.error) : null,
    units: unitsOf(stored),
    reasoning_tokens: stored.reasoning_tokens ?? null,
    tools: stored.tools ?? null,
    tier: stored.tier ?? null,
    /** Why the units were counted here and not reported. */
    counted: stored.counted ?? null,
    ...priceOf(stored),
    cost_usd: formatUsd(row.cost),
    shortfall_usd: formatUsd(row.shortfall),
    /** What is held while the request is open; afterwards, what was held. */
    held_usd: formatUsd(row.held),
    timing: timingOf(stored),
    warnings: stored.warnings ?? [],
  }
  if (audience !== 'operator') return receipt
  return { ...receipt, upstream_cost_usd: stored.upstream_cost ?? null, receipt: row.receipt === '' ? null : stored }
}

const errorOf = ({ code, status, upstream_request_id }: NonNullable<Stored['error']>) => ({
  code,
  status: status ?? null,
  upstream_request_id: upstream_request_id ?? null,
})

const outcomeOf = ({ state, outcome }: UsageRow): string => (state === HELD ? 'running' : outcome)
const unitsOf = ({ units }: Stored): Record<string, number> | null =>
  units === undefined ? null : Object.fromEntries(Object.entries(units).map(renamed))
const timingOf = ({ first_token_ms, total_ms }: Stored) => ({
  first_token_ms: first_token_ms ?? null,
  total_ms: total_ms ?? null,
})

/** As many rows as fit, and at least one: the next page continues after the last. */
export function withinBytes(rows: readonly UsageRow[], most: number): readonly UsageRow[] {
  let bytes = 0
  const end = rows.findIndex(({ receipt }, index) => {
    bytes += receipt.length
    return index > 0 && bytes > most
  })
  return end === -1 ? rows : rows.slice(0, end)
}

/** Callers know models by the operator's names for them; only the operator sees the upstream's name. */
function attemptOf(row: UsageRow, stored: Stored, outcome: string, audience: Audience) {
  const { code: error, ...facts } = stored.error ?? {}
  const attempt = { upstream: stored.upstream ?? row.upstream, model: stored.model ?? row.model, outcome }
  const all = { ...attempt, upstream_model: stored.upstream_model ?? null }
  return failedAttempt(error === undefined ? all : { ...all, error, ...facts }, audience)
}

/** What an upstream said of its error is the operator's alone. */
function failedAttempt({ upstream, model, outcome, ...more }: Shown, audience: Audience) {
  const attempt = { upstream, model, outcome }
  if (audience === 'caller') return attempt
  const { upstream_model, error, status, vendor_code, vendor_message, message, ms } = more
  return {
    ...attempt,
    ...(audience === 'operator' ? { upstream_model: upstream_model ?? null } : {}),
    ...(error === undefined
      ? {}
      : {
          error,
          status: status ?? null,
          vendor_code: vendor_code ?? null,
          vendor_message: vendor_message ?? null,
          reason: message ?? null,
          duration_ms: ms ?? null,
        }),
  }
}

type Shown = Omit<AttemptEntry, 'upstream_model'> & { upstream_model?: string | null }

/** A price that cannot be read must not hide the rest of the receipt, or of the list. */
function priceOf(stored: Stored) {
  const { units, price } = stored
  if (units === undefined || price === undefined) return { price: null, formula: null }
  try {
    return { price: shownPrice(price), formula: formulaOf({ ...stored, units, price }) }
  } catch {
    return { price: null, formula: null }
  }
}

/** How the charge adds up; undefined without a price, and of a receipt whose details are removed. */
export function chargeLines(row: UsageRow): ChargeLines | undefined {
  const { units, price, ...stored } = parsed(row.receipt)
  if (units === undefined || price === undefined) return undefined
  try {
    return linesOf({ ...stored, units, price })
  } catch {
    return undefined
  }
}

/** A row may have no receipt. */
function parsed(text: string): Stored {
  try {
    const value: unknown = text === '' ? {} : JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

const OLD_NAMES: Readonly<Record<string, string>> = { cachedInput: 'cached_input', cacheWrite: 'cache_write' }
const renamed = ([name, count]: [string, number]): [string, number] => [OLD_NAMES[name] ?? name, count]

/** Requests of one model have the same price, and showing it costs more than the rest of a receipt. */
const shownPrices = new Map<string, ReturnType<typeof priceJson>>()
const MOST_SHOWN_PRICES = 256

function shownPrice(price: Price): ReturnType<typeof priceJson> {
  const text = JSON.stringify(price)
  const known = shownPrices.get(text)
  if (known) return known
  const shown = priceJson(price)
  if (shownPrices.size >= MOST_SHOWN_PRICES) shownPrices.clear()
  shownPrices.set(text, shown)
  return shown
}

/** In the units of the configuration: USD, and decimal multipliers. */
function priceJson({ version, multiplier_millionths, long_context_above, tools, ...more }: Price) {
  const { tiers_millionths, media_tiers_millionths, ...figures } = more
  const tiers = { ...tiers_millionths, ...media_tiers_millionths }
  return {
    version,
    ...unitFigures(figures),
    usd_per_million_tokens: usd(tokenFigures(figures)),
    ...(tools === undefined ? {} : { usd_per_call: usd(tools) }),
    ...(long_context_above === undefined ? {} : { long_context_above }),
    ...(Object.keys(tiers).length === 0 ? {} : { tiers: mapped(tiers, formatMillionths) }),
    multiplier: formatMillionths(multiplier_millionths),
  }
}
type Price = PricedReceipt['price']

const tokenFigures = (figures: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(figures).filter(([name]) => !isUnitFigure(name) && !isPriceTerm(name)))

const unitFigures = (figures: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(figures)
      .filter(([name]) => isUnitFigure(name))
      .map(([name, figure]) => [`usd_${name}`, formatUsd(BigInt(String(figure)))]),
  )

const mapped = (values: Readonly<Record<string, unknown>>, show: (value: string) => string) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, show(String(value))]))
const usd = (nanos: Readonly<Record<string, unknown>>) => mapped(nanos, (value) => formatUsd(BigInt(value)))
