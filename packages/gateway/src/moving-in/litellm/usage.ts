// What was used before, by day; and rows of the log with what they cost, to compare prices.
import type { FoundCharge, FoundUsage } from '../installation.ts'
import {
  integerOf,
  isObject,
  type Json,
  type JsonObject,
  nanosOf,
  objectOf,
  textOf,
  timeOf,
} from '../sources/fields.ts'
import type { SourceDatabase, SourceRow } from '../sources/source-database.ts'
import { type Context, NO_PERSON } from './directory.ts'

const DAY_MS = 86_400_000
const [DAILY, LOG] = ['LiteLLM_DailyUserSpend', 'LiteLLM_SpendLogs']
type Counted = Omit<FoundUsage, 'key' | 'person' | 'account' | 'model'>

/**
 * LiteLLM has sums of each day, which older versions lack, and the log, which some installations empty or do not write. Of each day
 * what has more requests counts.
 */
export async function* readUsage(context: Context): AsyncGenerator<FoundUsage> {
  const { source, findings } = context
  const [inSums, inLog] = [new Map<number, number>(), new Map<number, number>()]
  const count = (days: Map<number, number>, day: number, requests: number) =>
    days.set(day, (days.get(day) ?? 0) + requests)
  for await (const row of source.rows(DAILY, ['date', 'id'], ['date', 'api_requests']))
    count(inSums, dayOf(row.date), integerOf(row.api_requests) ?? 0)
  for await (const row of source.rows(LOG, ['startTime', 'request_id'], ['startTime']))
    count(inLog, dayOf(row.startTime), 1)
  const isFromLog = (day: number) => (inLog.get(day) ?? 0) > (inSums.get(day) ?? 0)

  yield* summed(context, source.rows(DAILY, ['date', 'id']), (row) => {
    const day = dayOf(row.date)
    if (isFromLog(day)) return undefined
    findings.add(DAILY, 'exact')
    return {
      day,
      requests: integerOf(row.api_requests) ?? 0,
      failed: integerOf(row.failed_requests) ?? 0,
      inputTokens: integerOf(row.prompt_tokens) ?? 0,
      cachedTokens: integerOf(row.cache_read_input_tokens) ?? 0,
      outputTokens: integerOf(row.completion_tokens) ?? 0,
      cost: nanosOf(row.spend) ?? 0n,
    }
  })
  if (![...inLog.keys()].some(isFromLog)) return
  const columns = [
    'api_key',
    'user',
    'model',
    'model_group',
    'spend',
    'prompt_tokens',
    'completion_tokens',
    'status',
    'metadata',
  ]
  yield* summed(context, source.rows(LOG, ['startTime', 'request_id'], [...columns, 'startTime']), (row) => {
    const day = dayOf(row.startTime)
    if (!isFromLog(day)) return undefined
    findings.add(LOG, 'exact')
    return {
      day,
      requests: 1,
      failed: textOf(row.status) === 'failure' ? 1 : 0,
      inputTokens: integerOf(row.prompt_tokens) ?? 0,
      cachedTokens: cachedIn(usageOf(row)),
      outputTokens: integerOf(row.completion_tokens) ?? 0,
      cost: nanosOf(row.spend) ?? 0n,
    }
  })
}

/** -1: not readable. Rows of such days are reported and left out. */
function dayOf(value: SourceRow[string] | undefined): number {
  const text = textOf(value) ?? ''
  const time = timeOf(text) ?? timeOf(`${text} 00:00:00`)
  return time === undefined ? -1 : Math.floor(time / DAY_MS)
}

/** Rows come by day, so that only those of one day are in memory. */
async function* summed(
  { directory, findings }: Context,
  rows: AsyncIterable<SourceRow>,
  read: (row: SourceRow) => Counted | undefined,
): AsyncGenerator<FoundUsage> {
  let sums = new Map<string, FoundUsage>()
  let present = -1
  for await (const row of rows) {
    const counted = read(row)
    if (!counted) continue
    if (counted.day < 0) {
      findings.add(
        DAILY,
        'manual',
        'A row without a readable day is left out.',
        textOf(row.id ?? row.request_id ?? null),
      )
      continue
    }
    if (counted.day !== present) {
      yield* sums.values()
      sums = new Map()
      present = counted.day
    }
    const [token = '', user = ''] = [textOf(row.api_key), textOf(row.user_id ?? row.user ?? null)]
    const key = directory.keys.get(token)
    const person = directory.people.has(user) && !NO_PERSON.has(user) ? `user:${user}` : undefined
    const model = textOf(row.model_group) || textOf(row.model) || ''
    const by = JSON.stringify([model, token, person])
    const sum = sums.get(by)
    if (sum) {
      for (const name of ['requests', 'failed', 'inputTokens', 'cachedTokens', 'outputTokens'] as const)
        sum[name] += counted[name]
      sum.cost += counted.cost
    } else sums.set(by, { ...counted, model, key: key && `key:${token}`, person, account: key?.account ?? person })
  }
  yield* sums.values()
}

const usageOf = (row: SourceRow): JsonObject => {
  const usage = objectOf(row.metadata)?.usage_object
  return isObject(usage) ? usage : {}
}
const number = (value: Json | undefined): number => (typeof value === 'number' && value > 0 ? Math.round(value) : 0)
const detail = (usage: JsonObject, part: string, name: string): number => {
  const details = usage[part]
  return isObject(details) ? number(details[name]) : 0
}
const cachedIn = (usage: JsonObject): number =>
  detail(usage, 'prompt_tokens_details', 'cached_tokens') || number(usage.cache_read_input_tokens)

const CHARGE = [
  'request_id',
  'spend',
  'prompt_tokens',
  'completion_tokens',
  'model',
  'model_group',
  'metadata',
  'cache_hit',
  'status',
]

export async function* readCharges(source: SourceDatabase, most: number): AsyncGenerator<FoundCharge> {
  let count = 0
  for await (const _ of source.rows(LOG, ['request_id'], ['request_id'])) count += 1
  const step = Math.max(1, Math.ceil(count / most))
  let [at, chosen]: [number, string[]] = [0, []]
  // Ids are random, so that their order is even over the log.
  for await (const row of source.rows(LOG, ['request_id'], ['request_id'])) {
    if (at++ % step === 0) chosen.push(textOf(row.request_id) ?? '')
    if (chosen.length < 200) continue
    yield* chargesOf(source, chosen)
    chosen = []
  }
  yield* chargesOf(source, chosen)
}

async function* chargesOf(source: SourceDatabase, ids: readonly string[]): AsyncGenerator<FoundCharge> {
  for await (const row of source.find(LOG, 'request_id', ids, CHARGE)) {
    const charged = nanosOf(row.spend)
    // Failures cost nothing there, nor here.
    if (charged === undefined || (textOf(row.status) === 'failure' && charged === 0n)) continue
    const usage = usageOf(row)
    yield {
      from: `${LOG} ${textOf(row.request_id)}`,
      model: textOf(row.model_group) || textOf(row.model) || '',
      group: 'default',
      usage: {
        input: integerOf(row.prompt_tokens) ?? 0,
        cached: cachedIn(usage),
        cacheWrite:
          detail(usage, 'prompt_tokens_details', 'cache_creation_tokens') || number(usage.cache_creation_input_tokens),
        cacheWriteHour: 0,
        output: integerOf(row.completion_tokens) ?? 0,
        reasoning: detail(usage, 'completion_tokens_details', 'reasoning_tokens'),
        audioInput: detail(usage, 'prompt_tokens_details', 'audio_tokens'),
        audioOutput: detail(usage, 'completion_tokens_details', 'audio_tokens'),
        images: 0,
        requests: 1,
      },
      charged,
      rounding: 1n,
      special: specialOf(row),
    }
  }
}

function specialOf(row: SourceRow): string | undefined {
  if (textOf(row.cache_hit)?.toLowerCase() === 'true') return 'answered from the cache of responses'
  const metadata = objectOf(row.metadata) ?? {}
  const costs = isObject(metadata.cost_breakdown) ? metadata.cost_breakdown : {}
  if (number(costs.margin_total_amount) || Number(costs.margin_total_amount ?? 0) !== 0) return 'a margin was added'
  if (Number(costs.discount_amount ?? 0) !== 0) return 'a discount was given'
  if (Number(costs.tool_usage_cost ?? 0) !== 0) return 'hosted tools were charged'
  const tier = usageOf(row).service_tier
  return typeof tier === 'string' && tier !== 'default' && tier !== 'standard' ? `service tier ${tier}` : undefined
}
