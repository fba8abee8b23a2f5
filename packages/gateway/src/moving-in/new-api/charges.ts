// What a row of the log of new-api counted, and whether today's price explains what it cost.
import type { FoundTokens } from '../installation.ts'
import { equal, ONE, times } from '../quota/exact.ts'
import { CHANGED, isSame, NO_TOKENS } from '../quota/logs/charges.ts'
import type { LogRow } from '../quota/logs/row.ts'
import { numberOf, type Options, perMillion } from '../quota/options.ts'
import type { Figures } from '../quota/prices/figures.ts'
import type { Charge, Prices } from '../quota/program.ts'
import { type JsonObject, objectOf, textOf } from '../sources/fields.ts'
import type { SourceRow } from '../sources/source-database.ts'
import { expressionFigures } from './expressions.ts'
import { HOUR } from './prices.ts'

const count = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0)

/** Anthropic counts what is read from and written to a cache beside the input. */
export function newApiTokens(row: SourceRow, { prompt, completion }: LogRow): FoundTokens {
  const other = objectOf(row.other) ?? {}
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

export const MORE = 'Hosted tools, images or audio were charged with it.'
const MORE_FIELDS = ['web_search', 'file_search', 'image_generation_call', 'image', 'audio', 'ws']

export function newApiCharge(row: SourceRow, entry: LogRow, { options, prices, rules }: Prices): Charge {
  const other = objectOf(row.other) ?? {}
  const usage = newApiTokens(row, entry)
  const group = textOf(row.group)?.trim() || undefined
  const ratio = numberOf(other.group_ratio)
  // That of a pair of groups is part of the name of the group here.
  const isPair = numberOf(other.user_group_ratio) !== undefined
  const isGroup = isPair || !group || !ratio || equal(ratio, rules.ratio('', group).ratio)
  const isPrice = isSame(figuresOfThen(other, options), prices(entry.model), usage)
  const special = MORE_FIELDS.some((name) => other[name]) ? MORE : isGroup && isPrice ? undefined : CHANGED
  return { group, usage, special }
}

function figuresOfThen(other: JsonObject, options: Options): Figures | undefined {
  if (typeof other.expr_b64 === 'string') return expressionFigures(Buffer.from(other.expr_b64, 'base64').toString())
  const [call, ratio] = [numberOf(other.model_price), numberOf(other.model_ratio)]
  if (call && call.n > 0n) return { by: 'call', usd: call }
  if (!ratio) return undefined
  const input = perMillion(ratio, options)
  const multiple = (name: string) => times(input, numberOf(other[name]) ?? ONE)
  const cache_write = multiple('cache_creation_ratio')
  const [output, cached_input] = [multiple('completion_ratio'), multiple('cache_ratio')]
  const figures = { input, output, cached_input, cache_write, cache_write_1h: times(cache_write, HOUR) }
  return { by: 'tokens', figures, long: [] }
}
