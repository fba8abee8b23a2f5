// Prices of LiteLLM, in USD per token, as prices of ours, in USD per million tokens. Exact: decimals, not floating-point numbers.
import { decimalOf, type JsonObject } from '../sources/fields.ts'
import { IS_PRICE } from './known.ts'

type Price = Record<string, unknown>
/** Field by field, for text models. */
const TOKENS = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cached_input: 'cache_read_input_token_cost',
  cache_write: 'cache_creation_input_token_cost',
  cache_write_1h: 'cache_creation_input_token_cost_above_1hr',
  reasoning: 'output_cost_per_reasoning_token',
  audio_input: 'input_cost_per_audio_token',
  cached_audio_input: 'cache_read_input_audio_token_cost',
  audio_output: 'output_cost_per_audio_token',
  image_input: 'input_cost_per_image_token',
  image_output: 'output_cost_per_image_token',
} as const
const IN_TIER = {
  input: TOKENS.input,
  output: TOKENS.output,
  cached_input: TOKENS.cached_input,
  cache_write: TOKENS.cache_write,
}
const TIERS = ['flex', 'priority'] as const
const ABOVE = /^input_cost_per_token_above_(\d+)k_tokens$/

const TYPES: Readonly<Record<string, string>> = {
  chat: 'text',
  completion: 'text',
  responses: 'text',
  embedding: 'embedding',
  image_generation: 'image',
  rerank: 'rerank',
  audio_speech: 'speech',
  audio_transcription: 'transcription',
  moderation: 'moderation',
  video_generation: 'video',
}
export const typeOf = (mode: unknown): string | undefined => TYPES[String(mode ?? 'chat')]

/** undefined: not what such a model is paid by. `beyond`: prices of the entry that there is no field for. */
export function readPrice(type: string, entry: JsonObject): { price: Price; beyond: readonly string[] } | undefined {
  const used = new Set<string>()
  const times = (field: string, exponent: number): string | undefined => {
    const decimal = decimalOf(entry[field] as number | string | null | undefined)
    const found = decimal && (exponent === 60 ? bySixty(decimal) : decimalOf(`${decimal}e${exponent}`))
    // Beyond 10^-9 USD nothing is priced here.
    if (found === undefined || !/^\d+(?:\.\d{1,9})?$/.test(found)) return undefined
    used.add(field)
    return found
  }
  const take = (fields: Readonly<Record<string, string>>, suffix = ''): Price => {
    const found = Object.entries(fields).map(([name, field]) => [name, times(`${field}${suffix}`, 6)] as const)
    return Object.fromEntries(found.filter(([, value]) => value !== undefined))
  }
  const price = shaped()
  if (!price) return undefined
  const beyond = Object.keys(entry).filter(
    (name) => IS_PRICE.test(name) && !/_cache_hit$/.test(name) && Number(entry[name]) > 0 && !used.has(name),
  )
  return { price, beyond: beyond.filter((name) => !/_batches$|_above_1hr_/.test(name)) }

  function shaped(): Price | undefined {
    switch (type) {
      case 'text':
        return text()
      case 'embedding':
        return one('input', TOKENS.input, 6)
      case 'image':
        return (
          one('per_image', 'output_cost_per_image', 0) ?? one('per_image', 'input_cost_per_image', 0) ?? imageTokens()
        )
      case 'video':
        return (
          one('per_second', 'output_cost_per_video_per_second', 0) ?? one('per_second', 'output_cost_per_second', 0)
        )
      case 'speech':
        return one('per_million_characters', 'input_cost_per_character', 6)
      case 'transcription':
        return one('per_minute', 'input_cost_per_second', 60) ?? one('per_minute', 'output_cost_per_second', 60)
      case 'rerank':
        return one('per_search', 'input_cost_per_query', 0) ?? one('input', TOKENS.input, 6)
      case 'moderation':
        return one('input', TOKENS.input, 6) ?? { per_request: '0' }
    }
    return undefined
  }
  function one(name: string, field: string, exponent: number): Price | undefined {
    const value = times(field, exponent)
    return value === undefined ? undefined : { [name]: value }
  }
  function imageTokens(): Price | undefined {
    const found = take({ input: TOKENS.input, image_input: TOKENS.image_input, image_output: TOKENS.image_output })
    return Object.keys(found).length === 3 ? found : undefined
  }
  function text(): Price | undefined {
    const price = take(TOKENS)
    if (price.input === undefined || price.output === undefined) return undefined
    const steps = Object.keys(entry).flatMap((name) => ABOVE.exec(name)?.[1] ?? [])
    const long = (tier: string) =>
      steps.map((thousands) => ({
        above: Number(thousands) * 1_000,
        ...take(IN_TIER, `_above_${thousands}k_tokens${tier}`),
      }))
    if (steps.length > 0) price.long_context = long('')
    const tiers = TIERS.flatMap((tier) => {
      const own = take(IN_TIER, `_${tier}`)
      const isWhole = own.input !== undefined && own.output !== undefined
      const steep = steps.length > 0 ? long(`_${tier}`) : []
      // A tier without prices for long requests has no place for them here.
      if (!isWhole || steep.some((step) => !('input' in step))) return []
      return [[tier, steep.length > 0 ? { ...own, long_context: steep } : own]]
    })
    if (tiers.length > 0) price.tiers = Object.fromEntries(tiers)
    const search = entry.search_context_cost_per_query as JsonObject | undefined
    const costs = new Set(Object.values(search ?? {}).map((cost) => decimalOf(cost as number)))
    if (search) used.add('search_context_cost_per_query')
    const [cost] = costs
    if (costs.size === 1 && cost !== undefined) price.tools = { web_search: cost }
    return price
  }
}

function bySixty(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return decimalOf(`${BigInt(whole + fraction) * 60n}e-${fraction.length}`) ?? decimal
}
