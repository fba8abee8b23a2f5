// What was spent in the open windows of keys and teams that have several, or budgets by model: LiteLLM keeps the first, the log tells the rest.
import type { Nanos } from '../../money/amount.ts'
import { isObject, type Json, jsonOf, nanosOf, objectOf, textOf, timeOf } from '../sources/fields.ts'
import type { SourceRow } from '../sources/source-database.ts'
import type { Context } from './directory.ts'
import { type Window, windowOf } from './windows.ts'

export type Limit = {
  model: string | undefined
  amount: Nanos | undefined
  duration: string | undefined
  window: Window | undefined
}
type Subject = 'key' | 'team'
export type SpentIn = (subject: Subject, id: string, limit: Limit) => Promise<Nanos>

const TABLES = [
  ['key', 'LiteLLM_VerificationToken', 'token'],
  ['team', 'LiteLLM_TeamTable', 'team_id'],
] as const
const LOGGED = ['startTime', 'api_key', 'team_id', 'spend', 'model', 'model_group']

export function limitsIn(row: SourceRow, { directory, now }: Context): Limit[] {
  const list = jsonOf(row.budget_limits ?? null)
  const shared = directory.budgets.get(textOf(row.budget_id ?? null) ?? '')
  const own = Object.entries(objectOf(row.model_max_budget ?? null) ?? {})
  const byModel = own.length > 0 ? own : Object.entries(objectOf(shared?.model_max_budget) ?? {})
  const written: (readonly [model: string | undefined, limit: Json])[] = [
    ...(Array.isArray(list) ? (list as Json[]) : []).map((limit) => [undefined, limit] as const),
    ...byModel,
  ]
  return written.map(([model, limit]) => {
    const fields = isObject(limit) ? limit : { budget_limit: limit }
    const duration = textOf((fields.budget_duration ?? fields.time_period) as string)
    const window = windowOf(duration, timeOf(fields.reset_at as string), now)
    return { model, amount: nanosOf((fields.max_budget ?? fields.budget_limit) as string), duration, window }
  })
}

export function readSpent(context: Context): SpentIn {
  let sums: Promise<ReadonlyMap<string, Nanos>> | undefined
  return async (subject, id, limit) => {
    const kept = limit.model === undefined ? await keptSpend(context, subject, id, limit) : undefined
    if (kept !== undefined || !limit.window) return kept ?? 0n
    sums ??= sumLog(context)
    return (await sums).get(nameOf(subject, id, limit)) ?? 0n
  }
}

async function keptSpend({ source }: Context, subject: Subject, id: string, { duration, window }: Limit) {
  for await (const row of source.find('LiteLLM_BudgetWindowSpend', 'entity_id', [id])) {
    const isSame = textOf(row.entity_type) === subject && textOf(row.window_duration) === duration
    if (isSame && window && timeOf(row.window_start) === window.start) return nanosOf(row.spend)
  }
  return undefined
}

const nameOf = (subject: Subject, id: string, { model, window }: Limit): string =>
  JSON.stringify([subject, id, model, window?.start])

/** In one pass, whose memory is that of the sums. */
async function sumLog(context: Context): Promise<ReadonlyMap<string, Nanos>> {
  const { source } = context
  const wanted = new Map<string, readonly Limit[]>()
  for (const [subject, table, key] of TABLES) {
    for await (const row of source.rows(table, [key], [key, 'budget_limits', 'model_max_budget', 'budget_id'])) {
      const limits = limitsIn(row, context).filter(({ window }) => window)
      if (limits.length > 0) wanted.set(`${subject} ${textOf(row[key])}`, limits)
    }
  }
  const sums = new Map<string, Nanos>()
  for await (const row of source.rows('LiteLLM_SpendLogs', ['startTime', 'request_id'], LOGGED)) {
    const ids = [['key', textOf(row.api_key) ?? ''] as const, ['team', textOf(row.team_id ?? null) ?? ''] as const]
    const models = [undefined, textOf(row.model_group), textOf(row.model)]
    for (const [subject, id] of ids) {
      for (const limit of wanted.get(`${subject} ${id}`) ?? []) {
        const isIn = models.includes(limit.model) && (timeOf(row.startTime) ?? 0) >= (limit.window?.start ?? 0)
        const name = nameOf(subject, id, limit)
        if (isIn) sums.set(name, (sums.get(name) ?? 0n) + (nanosOf(row.spend) ?? 0n))
      }
    }
  }
  return sums
}
