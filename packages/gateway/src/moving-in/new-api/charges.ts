// What a row of the log of new-api counted, and whether today's price explains what it cost.
import type { FoundTokens } from '../installation.ts'
import { ONE, times } from '../quota/exact.ts'
import { CHANGED, type Charge, isSame, NO_TOKENS } from '../quota/logs/charges.ts'
import type { LogRow } from '../quota/logs/row.ts'
import { numberOf, type Options, perMillion } from '../quota/options.ts'
import type { Figures } from '../quota/prices/figures.ts'
import type { PriceOf } from '../quota/program.ts'
import { type JsonObject, objectOf, textOf } from '../sources/fields.ts'
import type { SourceRow } from '../sources/source-database.ts'
import { expressionFigures } from './expressions.ts'
import { newApiGroups } from './groups.ts'
import { HOUR } from './prices.ts'

const otherIn = (row: SourceRow): JsonObject => objectOf(row.other ?? null) ?? {}
const count = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0)

/** Anthropic counts what is read from and written to a cache beside the input. */
export function newApiTokens(row: SourceRow, { prompt, completion }: LogRow): FoundTokens {
  const other = otherIn(row)
  const [cached, hour] = [count(other.cache_tokens), count(other.cache_creation_tokens_1h)]
  const cacheWrite = Math.max(0, count(other.cache_creation_tokens) - hour)
  const isBeside = other.claude === true || other.usage_semantic === 'anthropic'
  return {
    ...NO_TOKENS,
    input: isBeside ? prompt + cached + cacheWrite + hour : prompt,
    cached,
    cacheWrite,
    cacheWriteHour: hour,
    output: completion,
    audioInput: count(other.audio_input),
    audioOutput: count(other.audio_output),
  }
}

const TOOLS = 'Hosted tools were charged with it.'
const MEDIA = 'Images or audio were charged with it.'
const GROUP_CHANGED = 'The ratio of its group was another one at that time.'

export function newApiCharge(
  row: SourceRow,
  entry: LogRow,
  { options, prices }: { options: Options; prices: PriceOf },
): Charge {
  const other = otherIn(row)
  const usage = newApiTokens(row, entry)
  const group = textOf(row.group ?? null)?.trim() || undefined
  const special =
    TOOL_FIELDS.some((name) => other[name]) || count(other.web_search_call_count) > 0
      ? TOOLS
      : MEDIA_FIELDS.some((name) => other[name])
        ? MEDIA
        : isRatioOfThen(other, group, options)
          ? GROUP_CHANGED
          : isSame(figuresOfThen(other, options), prices(entry.model), namesFor(usage))
            ? undefined
            : CHANGED
  return { group, usage, special }
}

const TOOL_FIELDS = ['web_search', 'file_search', 'image_generation_call']
const MEDIA_FIELDS = ['image', 'audio', 'ws', 'audio_input_seperate_price']

const namesFor = ({ cached, cacheWrite, cacheWriteHour }: FoundTokens): string[] => [
  ...['input', 'output'],
  ...(cached > 0 ? ['cached_input'] : []),
  ...(cacheWrite > 0 ? ['cache_write'] : []),
  ...(cacheWriteHour > 0 ? ['cache_write_1h'] : []),
]

/** A ratio of the pair is compared where the groups are. */
function isRatioOfThen(other: JsonObject, group: string | undefined, options: Options): boolean {
  const then = numberOf(other.group_ratio)
  if (group === undefined || !then || numberOf(other.user_group_ratio)) return false
  const { ratio } = newApiGroups(options).ratio('', group)
  return then.n * ratio.d !== ratio.n * then.d
}

function figuresOfThen(other: JsonObject, options: Options): Figures | undefined {
  if (typeof other.expr_b64 === 'string') return expressionFigures(Buffer.from(other.expr_b64, 'base64').toString())
  const call = numberOf(other.model_price)
  if (call && call.n > 0n) return { by: 'call', usd: call }
  const [ratio, output, cached] = [other.model_ratio, other.completion_ratio, other.cache_ratio].map(numberOf)
  if (!ratio) return undefined
  const input = perMillion(ratio, options)
  const cacheWrite = times(input, numberOf(other.cache_creation_ratio) ?? ONE)
  const figures = {
    input,
    output: times(input, output ?? ONE),
    cached_input: times(input, cached ?? ONE),
    cache_write: cacheWrite,
    cache_write_1h: times(cacheWrite, HOUR),
  }
  return { by: 'tokens', figures, long: [] }
}
