// Usage: what was spent in a period, as sums over time, and by model, key, tag or end user: the largest ones by name, and the sum of the others.
import type { Static } from 'typebox'
import { soughtEndUser } from '../../access/attribution/attribution.ts'
import { badRequest } from '../../http-api/rejection.ts'
import { formatUsd } from '../../money/amount.ts'
import { FURTHER_VALUES } from '../../money/budgets/attribution.ts'
import { given } from '../../operate/inputs/page.ts'
import { ATTRIBUTED } from '../../operate/inputs/schemas.ts'
import { isTagName } from '../../operate/reports/read-sums.ts'
import { SESSION, sessionJson } from '../../operate/reports/session.ts'
import { parseIsoTime } from '../../request/iso-time.ts'
import {
  boolean,
  fields,
  idOf,
  listOf,
  nullable,
  number,
  optional,
  string,
  TIME,
  textLike,
  USD,
  WRITTEN_TIME,
  word,
} from '../../request/schema/schema.ts'
import type { Keys, SpendingBy, SpendingFilter, SpendingStep } from '../../storage/storage.ts'
import type { ConsoleDependencies } from '../dependencies.ts'
import { route } from '../route.ts'
import { keyNames, scopeOf, type Viewer } from './scope.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Hours are shown for a fortnight at most: more points than pixels cannot be seen. */
const MOST_HOURS = 14 * 24
const MOST_DAYS = 800
/** An account may have thousands of keys; more rows than these are not readable. */
const MOST_ROWS = 200

export const PERIOD = {
  from: optional(WRITTEN_TIME),
  to: optional(WRITTEN_TIME),
  model: optional(string()),
  key: optional(idOf('a key')),
  tag: ATTRIBUTED.tag,
  /** As it is kept, or as requests name it. */
  end_user: ATTRIBUTED.end_user,
}
const STEP = word('hour', 'day', 'month')
const PERIOD_QUERY = fields({ ...PERIOD, step: optional(STEP) })
const COUNTS = { requests: number(), tokens: number(), cost_usd: USD }
const BY = textLike(
  (value) => ['model', 'key', 'tag', 'end_user', 'none'].includes(value) || isTagName(value),
  'be one of model, key, tag, tag:NAME, end_user or none',
)
/** `tag:NAME`: by the values of this tag. */
function groupingIn(by: string): { by: SpendingBy; tagName?: string } {
  if (!isTagName(by)) return { by: by as SpendingBy }
  return { by: 'tag', tagName: by.slice(by.indexOf(':') + 1) }
}
/** `name`: the model, the id of the key, the tag or the end user; empty for all but the largest ones. `label`: how it is shown. */
const NAMED = { name: string(), label: string(), ...COUNTS }

/** The period that a request asks for, with its filters. */
function periodIn(
  { account }: Viewer,
  query: Static<typeof PERIOD_QUERY> & { by?: string },
  { clock, config, accountCipher }: ConsoleDependencies,
): { filter: SpendingFilter; step: SpendingStep } {
  const now = clock()
  const filter = filterOf(query, account.id, { config, accountCipher })
  const { to = now } = filter
  const { from = to - 30 * DAY_MS } = filter
  if (from >= to) throw badRequest('from', 'from must be before to.')
  const { step = 'day' } = query
  const isByTag = query.tag !== undefined || query.by?.startsWith('tag') === true
  const isByEndUser = query.end_user !== undefined || query.by === 'end_user'
  if (isByTag && isByEndUser)
    throw badRequest('end_user', 'Sums are kept by tag or by end user, not by both together: choose one of them.')
  if ((isByTag || isByEndUser) && step === 'hour')
    throw badRequest('step', 'Sums by tag and end user are kept by day: use step=day.')
  const stepMs = step === 'hour' ? HOUR_MS : DAY_MS
  const most = step === 'hour' ? MOST_HOURS : MOST_DAYS
  if ((to - from) / stepMs > most) throw badRequest('from', `With step=${step}, at most ${most} ${step}s can be shown.`)
  return { filter: { ...filter, from, to }, step }
}

type Filters = { from?: string; to?: string; model?: string; key?: string; tag?: string; end_user?: string }

export const filterOf = (
  { from, to, model, key, tag, end_user: endUser }: Filters,
  account: bigint,
  { config, accountCipher }: Pick<ConsoleDependencies, 'config' | 'accountCipher'>,
) =>
  given({
    from: timeOf(from),
    to: timeOf(to),
    model,
    key: key === undefined ? undefined : BigInt(key),
    tag,
    endUser:
      endUser === undefined ? undefined : soughtEndUser(endUser, account, config().attribution, { accountCipher }),
  })

const timeOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : parseIsoTime(text))

/** How models and keys are shown. */
async function labelsOf(rows: readonly { name: string }[], by: string, keys: Pick<Keys, 'names'>) {
  const named = by === 'key' ? rows.filter(({ name }) => name !== '') : []
  const names = await keyNames(
    keys,
    named.map(({ name }) => ({ key: BigInt(name) })),
  )
  return (name: string): string => (by === 'key' && name !== '' ? names.get(BigInt(name)) : undefined) ?? name
}

type Counted = { requests: number; tokens: number; cost: bigint }
const countsJson = ({ requests, tokens, cost }: Counted) => ({ requests, tokens, cost_usd: formatUsd(cost) })

export const showSeries = route(
  'GET usage',
  {
    policy: 'member',
    summary: 'Sums over time',
    query: fields({ ...PERIOD_QUERY.properties, by: optional(BY) }),
    output: fields({
      step: STEP,
      from: TIME,
      to: TIME,
      points: listOf(fields({ at: TIME, ...NAMED })),
      total: fields(COUNTS),
    }),
  },
  async (call, deps) => {
    const { filter, step } = periodIn(call, call.query, deps)
    const { from, to } = filter
    const { by, ...named } = groupingIn(call.query.by ?? 'none')
    const { spending, keys } = deps.store
    const own = { ...filter, ...scopeOf(call) }
    const points = await spending.series(call.account.id, { ...own, ...named }, step, by)
    const labelOf = await labelsOf(points, by, keys)
    // A request counts for each of its tags, and some have none.
    const isWhole = by !== 'tag' && by !== 'end_user'
    const all = isWhole ? points : await spending.series(call.account.id, own, step, 'none')
    const sum = all.reduce(
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
      points: points.map(({ at, name, ...counted }) => ({
        at: new Date(at).toISOString(),
        name,
        label: labelOf(name),
        ...countsJson(counted),
      })),
      total: countsJson(sum),
    }
  },
)

export const showSession = route(
  'GET usage/session',
  {
    policy: 'member',
    summary: 'Adds up the requests of a session, at most the newest 10,000 that are not archived',
    query: fields({ session: optional(SESSION) }),
    output: fields({
      requests: number(),
      running: number('Of these, which have not ended.'),
      tokens: number(),
      charged_usd: USD,
      is_all: boolean('false: the session has more requests, which are not added up.'),
    }),
  },
  async (call, { store }) => {
    // No request has the empty one.
    const { session = '' } = call.query
    const { id } = call.account
    return sessionJson(id, session, await store.attribution.session(id, session, scopeOf(call).person))
  },
)

export const showBreakdown = route(
  'GET usage/breakdown',
  {
    policy: 'member',
    summary: 'Sums of each model, key, tag or end user; what cost most comes first',
    query: fields({ ...PERIOD_QUERY.properties, by: optional(BY) }),
    output: fields({
      items: listOf(
        fields({
          ...NAMED,
          is_further: boolean('All tags or end users after the 10,000 of a day that are told apart.'),
        }),
      ),
      /** The sum of so many models, keys, tags or end users that are not listed. */
      others: nullable(fields({ names: number(), ...COUNTS })),
    }),
  },
  async (call, deps) => {
    const { filter, step } = periodIn(call, call.query, deps)
    const { by, ...named } = groupingIn(call.query.by ?? 'model')
    if (by === 'none') throw badRequest('by', 'by must be one of model, key, tag, tag:NAME or end_user.')
    const own = { ...filter, ...scopeOf(call), ...named }
    const { rows, names, all } = await deps.store.spending.totals(call.account.id, own, step, by, MOST_ROWS)
    const labelOf = await labelsOf(rows, by, deps.store.keys)
    const rest = rows.reduce(
      (left, { requests, tokens, cost }) => ({
        requests: left.requests - requests,
        tokens: left.tokens - tokens,
        cost: left.cost - cost,
      }),
      all,
    )
    const others = names - rows.length
    return {
      items: rows.map(({ name, ...counted }) => ({
        name,
        label: labelOf(name),
        ...countsJson(counted),
        is_further: name === FURTHER_VALUES && (by === 'tag' || by === 'end_user'),
      })),
      others: others === 0 ? null : { names: others, ...countsJson(rest) },
    }
  },
)
