// What a model costs, from which the price of a configuration is written.
import type { ModelType } from '../../../modalities/index.ts'
import type { Grade } from '../../findings.ts'
import { type Exact, equal, times, written } from '../exact.ts'

/** USD per million tokens, by the names that a price has for them. */
export type TokenFigures = Readonly<Record<string, Exact>> & { readonly input: Exact; readonly output: Exact }

export type Figures =
  /** `note`: what is to be known of it. */
  | { by: 'tokens'; figures: TokenFigures; long: readonly LongFigures[]; note?: string }
  /** USD for each request; `sizes`: of an image, as multiples. */
  | { by: 'call'; usd: Exact; sizes?: Readonly<Record<string, Exact>>; note?: string }
  /** `says`: what to do. */
  | { by: 'rule'; says: string }
/** By the name that is asked for, at group ratio 1. undefined: the model has no price, and is refused there. */
export type PriceOf = (name: string) => Figures | undefined
export type LongFigures = { above: number; figures: TokenFigures }

export type Priced = { price?: Readonly<Record<string, unknown>>; grade: Grade; says: string }

const PLACES = 9
export const ROUNDED = 'Figures of prices are rounded to 10^-9 USD.'

/** What tokens cost that have no figure of their own. */
const USUAL: Readonly<Record<string, string>> = {
  cached_input: 'input',
  cache_write: 'input',
  cache_write_1h: 'cache_write',
  image_input: 'input',
  audio_input: 'input',
  audio_output: 'output',
  image_output: 'output',
}

export const figureOf = (figures: TokenFigures, name: string): Exact => {
  const usual = USUAL[name]
  return figures[name] ?? (usual === undefined ? figures.input : figureOf(figures, usual))
}

/** The price as a model of this type has it, times `scale`. */
export function priceOf(
  found: Figures,
  { type, name, scale }: { type: ModelType; name: string; scale: Exact },
): Priced {
  if (found.by === 'rule') return { grade: 'manual', says: found.says }
  let isExact = true
  const usd = (value: Exact): string => {
    const figure = written(times(value, scale), PLACES)
    isExact &&= figure.isExact
    return figure.text
  }
  const price = (found.by === 'call' ? BY_CALL[type] : BY_TOKENS[type])?.(found as never, usd, name)
  if (!price) return { grade: 'manual', says: IMPOSSIBLE[found.by] }
  return isExact ? { price, grade: 'exact', says: found.note ?? '' } : { price, grade: 'approximate', says: ROUNDED }
}

export const IMPOSSIBLE = {
  call: 'A price per call is not possible for models of this type. Give the model a price per token.',
  tokens: 'A price per token is not possible for this model. Give it a price of its own.',
} as const

type Usd = (value: Exact) => string
type ByCall = Extract<Figures, { by: 'call' }>
type ByTokens = Extract<Figures, { by: 'tokens' }>
type Written = Readonly<Record<string, unknown>> | undefined

const BY_CALL: { readonly [type: string]: (found: ByCall, usd: Usd) => Written } = {
  image: ({ usd: each, sizes }, usd) => ({
    per_image: usd(each),
    ...(sizes
      ? { variants: Object.fromEntries(Object.entries(sizes).map(([size, ratio]) => [size, usd(times(each, ratio))])) }
      : {}),
  }),
  rerank: (found, usd) => ({ per_search: usd(found.usd) }),
  moderation: (found, usd) => ({ per_request: usd(found.usd) }),
}

const inputAlone = ({ figures }: ByTokens, usd: Usd): Written => ({ input: usd(figures.input) })

const BY_TOKENS: { readonly [type: string]: (found: ByTokens, usd: Usd, name: string) => Written } = {
  text: textPrice,
  embedding: inputAlone,
  rerank: inputAlone,
  moderation: inputAlone,
  image: ({ figures }, usd) => ({
    input: usd(figures.input),
    image_input: usd(figureOf(figures, 'image_input')),
    image_output: usd(figureOf(figures, 'image_output')),
  }),
  // These count characters as tokens.
  speech: ({ figures }, usd, name) =>
    name.startsWith('tts-')
      ? { per_million_characters: usd(figures.input) }
      : { input: usd(figures.input), audio_output: usd(figureOf(figures, 'audio_output')) },
  // Whisper reports no tokens: they are counted there in other ways.
  transcription: ({ figures }, usd, name) =>
    /whisper/i.test(name)
      ? undefined
      : {
          input: usd(figures.input),
          output: usd(figures.output),
          audio_input: usd(figureOf(figures, 'audio_input')),
        },
}

function textPrice({ figures, long }: ByTokens, usd: Usd): Written {
  const named = (own: TokenFigures, isNeeded: (name: string) => boolean) =>
    Object.fromEntries(
      ['input', 'output', ...Object.keys(USUAL)]
        .filter(isNeeded)
        .map((name) => [name, usd(figureOf(own, name))] as const),
    )
  const price = named(figures, (name) => {
    const usual = USUAL[name]
    return usual === undefined || !equal(figureOf(figures, name), figureOf(figures, usual))
  })
  // A figure that it leaves out would be that of the shorter requests.
  const all = new Set(long.flatMap((each) => Object.keys(each.figures)).concat(Object.keys(price)))
  const longer = long.map((each) => ({ above: each.above, ...named(each.figures, (name) => all.has(name)) }))
  return longer.length > 0 ? { ...price, long_context: longer } : price
}
