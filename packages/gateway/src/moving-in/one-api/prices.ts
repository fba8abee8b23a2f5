// What a model costs in one-api: ratios. Its own table is below that of the options, and an unknown name costs ratio 30.
import { exactOf, ONE, over, times, whole } from '../quota/exact.ts'
import { type Options, perMillion, usdOf } from '../quota/options.ts'
import type { PriceOf } from '../quota/prices/figures.ts'
import { modelType } from '../quota/prices/model-type.ts'
import { outputRules, ratioLists, ratioTable } from '../quota/prices/ratio-table.ts'
import ratioSource from './ratios.yaml' with { type: 'text' }

const LISTS = ratioLists(ratioSource)
const RATIOS = ratioTable(LISTS.ModelRatio)
const COMPLETIONS = ratioTable(LISTS.CompletionRatio)
const OUTPUT = outputRules(LISTS.output)
const UNKNOWN = whole(30)
export const NOT_LISTED = 'It has no ratio there and costs ratio 30, which is its price here, too. Give it another one.'

/** Sizes of images, as multiples. */
const SIZES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'dall-e-2': { '256x256': '1', '512x512': '1.125', '1024x1024': '1.25' },
  'dall-e-3': { '1024x1024/hd': '2', '1024x1792/hd': '3', '1792x1024/hd': '3', '1024x1792': '2', '1792x1024': '2' },
}
/** An image costs as much as so many tokens. */
const TOKENS_OF_IMAGE = 1_000

export function oneApiPrices(options: Options): PriceOf {
  const ratios = options.figures('ModelRatio')
  const completions = options.figures('CompletionRatio')
  return (asked) => {
    const name = /^(qwen|command)-/.test(asked) ? asked.replace(/-internet$/, '') : asked
    const known = ratios?.get(name) ?? RATIOS.get(name)
    const ratio = known ?? UNKNOWN
    const note = known ? {} : { note: NOT_LISTED }
    if (!modality[modelType(name)]) {
      const input = perMillion(ratio, options)
      const own = completions?.get(name) ?? COMPLETIONS.get(name)
      const output = own ?? OUTPUT.find(({ fits }) => fits(name))?.ratio ?? ONE
      return { by: 'tokens', figures: { input, output: times(input, output) }, long: [], ...note }
    }
    const sizes =
      SIZES[name] && Object.entries(SIZES[name]).map(([size, each]) => [size, exactOf(each) ?? ONE] as const)
    const usd = times(over(ratio, ONE), usdOf(TOKENS_OF_IMAGE, options))
    return { by: 'call', usd, ...(sizes ? { sizes: Object.fromEntries(sizes) } : {}), ...note }
  }
}
const modality: { readonly [type: string]: true } = { image: true }
