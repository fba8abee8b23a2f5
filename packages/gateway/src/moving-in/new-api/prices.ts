// What a model costs in new-api: an expression, a price per call, or ratios. Options replace the program's own table as a whole.
import { equal, exactOf, ONE, over, times, whole } from '../quota/exact.ts'
import { type Options, perMillion } from '../quota/options.ts'
import type { PriceOf, TokenFigures } from '../quota/prices/figures.ts'
import { namesIn, outputRules, ratioLists, ratioTable } from '../quota/prices/ratio-table.ts'
import { expressionFigures } from './expressions.ts'
import ratios from './ratios.yaml' with { type: 'text' }

const LISTS = ratioLists(ratios)
const CLAUDE = namesIn(LISTS.CLAUDE).join(' ')
const OUTPUT = outputRules(LISTS.output)
/** For names without a ratio, where the program is used by one person. */
const UNKNOWN = whole(75)
const CACHE_WRITE = over(whole(5), whole(4))
/** What is written for an hour costs more than what is written for five minutes. */
export const HOUR = over(whole(8), whole(5))

/** Sizes of DALL-E, as multiples. */
const SIZES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'dall-e-2': { '256x256': '0.4', '512x512': '0.45' },
  'dall-e-3': { '1024x1024/hd': '2', '1024x1792/hd': '3', '1792x1024/hd': '3', '1024x1792': '2', '1792x1024': '2' },
}

export function newApiPrices(options: Options): PriceOf {
  const table = (name: string) => options.figures(name) ?? ratioTable(LISTS[name]?.replace('CLAUDE', CLAUDE))
  const [inputs, completions, calls] = [table('ModelRatio'), table('CompletionRatio'), table('ModelPrice')]
  const [cached, written, images] = [table('CacheRatio'), table('CreateCacheRatio'), table('ImageRatio')]
  const [audio, spoken] = [table('AudioRatio'), table('AudioCompletionRatio')]
  const modes = options.object('billing_setting.billing_mode') ?? {}
  const expressions = options.object('billing_setting.billing_expr') ?? {}
  const isOwnUse = options.flag('SelfUseModeEnabled') === true

  const output = (name: string) => {
    const rule = OUTPUT.find(({ fits }) => fits(name))
    const own = completions.get(name)
    return own && (name.includes('/') || !rule?.wins) ? own : (rule?.ratio ?? ONE)
  }

  return (asked) => {
    const expression = Object.hasOwn(expressions, asked) ? expressions[asked] : undefined
    if (modes[asked] === 'tiered_expr' && typeof expression === 'string') return expressionFigures(expression)
    const name = matchingName(asked)
    const call = calls.get(name)
    if (call) return { by: 'call', usd: call, ...(SIZES[name] ? { sizes: multiples(SIZES[name]) } : {}) }
    const ratio = inputs.get(name)
    if (!ratio && !isOwnUse) return undefined
    const input = ratio ? perMillion(ratio, options) : perMillion(over(UNKNOWN, whole(2)), options)
    const cacheWrite = written.get(name) ?? (/claude/i.test(name) ? CACHE_WRITE : undefined)
    const hearing = audio.get(name) ?? (spoken.has(name) ? ONE : undefined)
    const image = images.get(asked)
    const figures: TokenFigures = {
      input,
      output: times(input, output(name)),
      ...(cached.has(name) ? { cached_input: times(input, cached.get(name) ?? ONE) } : {}),
      ...(cacheWrite ? { cache_write: times(input, cacheWrite), cache_write_1h: times(input, cacheWrite, HOUR) } : {}),
      ...(image && !equal(image, ONE) ? { image_input: times(input, image) } : {}),
      ...(hearing ? { audio_input: times(input, hearing) } : {}),
      ...(hearing ? { audio_output: times(input, hearing, spoken.get(name) ?? ONE) } : {}),
    }
    return { by: 'tokens', figures, long: [] }
  }
}

const multiples = (sizes: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(sizes).map(([size, ratio]) => [size, exactOf(ratio) ?? ONE]))

/** Names that end in a budget of thinking, and those of custom GPTs, have one price. */
function matchingName(name: string): string {
  const [thinking] = /^gemini-2\.5-(?:flash-lite|flash|pro)(?=.*-thinking-)/.exec(name) ?? []
  if (thinking) return `${thinking}-thinking-*`
  const [gizmo] = /^gpt-4o?-gizmo/.exec(name) ?? []
  return gizmo ? `${gizmo}-*` : name
}
