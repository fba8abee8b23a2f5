// Images that are billed by the token. Pure.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { type Dimensions, dimensionsOf, MILLION, mediaTotal } from '../../../modalities/media-quantities.ts'
import type { Nanos } from '../../../money/amount.ts'
import type { Charge } from '../../../money/prices/price.ts'
import { fewestTokensOfImage, MOST_TOKENS_PER_INPUT_IMAGE, mostTokensOfImage } from './tokens.ts'

/** Nano-USD per million tokens. `output`: text that comes with the image, such as reasoning; absent: the vendor bills none. */
export type ImageTokenFigures = {
  input: Nanos
  imageInput: Nanos
  imageOutput: Nanos
  cachedInput?: Nanos
  output?: Nanos
}
export type ImageTokenPrice = { tokens: ImageTokenFigures }

type Kind = keyof ImageTokenFigures
/** Their names in the configuration, in the order in which they are shown. */
export const IMAGE_TOKEN_NAMES: Readonly<Record<Kind, string>> = {
  input: 'input',
  cachedInput: 'cached_input',
  imageInput: 'image_input',
  output: 'output',
  imageOutput: 'image_output',
}
export const IMAGE_TOKEN_KINDS = Object.keys(IMAGE_TOKEN_NAMES) as readonly Kind[]
type Counts = { readonly [K in Kind]?: number }

/** On receipts: the unit, and the figure that it is multiplied with. Text tokens of the same request have other names. */
const RECEIPT_NAMES: readonly [kind: Kind, unit: string][] = [
  ['input', 'image_prompt_tokens'],
  ['cachedInput', 'image_cached_tokens'],
  ['imageInput', 'image_input_tokens'],
  ['output', 'image_text_tokens'],
  ['imageOutput', 'image_output_tokens'],
]

/** What vendors add to a prompt. */
const TOKENS_PER_CALL = 256
/** Text and reasoning that a model may write beside an image. */
const MOST_TEXT_TOKENS = 4_096

type Requested = {
  count: number
  dimensions: Dimensions | undefined
  quality: string | undefined
  promptBytes: number
  inputImages: number
  partialImages: number
  calls: number
}

export function tokenBound(requested: Requested, { tokens }: ImageTokenPrice, multiplierMillionths: bigint): Nanos {
  const { count, calls, dimensions, quality, partialImages } = requested
  // No token is shorter than a byte.
  const input = calls * (requested.promptBytes + TOKENS_PER_CALL)
  const { cachedInput = 0n } = tokens
  const most = {
    input,
    imageInput: calls * requested.inputImages * MOST_TOKENS_PER_INPUT_IMAGE,
    imageOutput: count * mostTokensOfImage(dimensions, quality, partialImages),
    output: count * MOST_TEXT_TOKENS,
  }
  return mediaTotal(
    sumOf(most, { ...tokens, input: cachedInput > tokens.input ? cachedInput : tokens.input }),
    MILLION,
    multiplierMillionths,
  )
}

/**
 * Reported tokens are charged; an explicit zero stays zero. Without a report only the images are charged, each at the
 * fewest tokens that one of its size and quality can take: the caller did not cause the missing report, and an image that
 * was delivered is not free.
 */
export function tokenCharge(
  images: readonly { size: string | undefined; quality: string | undefined }[],
  usage: Usage | undefined,
  { tokens }: ImageTokenPrice,
  multiplierMillionths: bigint,
): Charge {
  const counts = reportedCounts(usage, tokens, images.length > 0) ?? { imageOutput: fewestTokens(images) }
  const lines = RECEIPT_NAMES.filter(([kind]) => counts[kind] || kind === 'imageOutput')
  return {
    cost: mediaTotal(sumOf(counts, tokens), MILLION, multiplierMillionths),
    units: lines.map(([kind, unit]) => `"${unit}":${counts[kind] ?? 0}`).join(','),
    figures: lines.map(([kind, unit]) => `"per_million_${unit}":"${tokens[kind] ?? 0n}"`).join(','),
  }
}

/** The report that a receipt was made from. undefined: it has other units. */
export function usageOfUnits(units: Readonly<Record<string, number>>): Usage | undefined {
  const kinds = new Map(RECEIPT_NAMES.map(([kind, unit]) => [unit, kind]))
  const counts: { [K in Kind]?: number } = {}
  for (const [unit, count] of Object.entries(units)) {
    const kind = kinds.get(unit)
    if (kind === undefined) return undefined
    counts[kind] = count
  }
  const { input = 0, cachedInput = 0, imageInput = 0, imageOutput = 0, output = 0 } = counts
  const whole = { input: input + cachedInput + imageInput, output: output + imageOutput }
  return { ...whole, cachedInput, cacheWrite: 0, reasoning: undefined, imageInput, imageOutput, absurd: false }
}

/** Where the report does not tell text and images apart, output beside reasoning is that of the images. */
function reportedCounts(usage: Usage | undefined, figures: ImageTokenFigures, hasImages: boolean): Counts | undefined {
  if (usage?.output === undefined) return undefined
  const { output, imageOutput = hasImages ? output - (usage.reasoning ?? 0) : 0 } = usage
  const input = usage.input ?? 0
  const cachedInput = figures.cachedInput === undefined ? 0 : Math.min(usage.cachedInput ?? 0, input)
  const imageInput = Math.min(usage.imageInput ?? 0, input - cachedInput)
  const text = figures.output === undefined ? 0 : Math.max(0, output - imageOutput)
  return { input: input - cachedInput - imageInput, cachedInput, imageInput, imageOutput, output: text }
}

const fewestTokens = (images: readonly { size: string | undefined; quality: string | undefined }[]): number =>
  images
    .map(({ size, quality }) => fewestTokensOfImage(size === undefined ? undefined : dimensionsOf(size), quality))
    .reduce((sum, tokens) => sum + tokens, 0)

function sumOf(counts: Counts, figures: ImageTokenFigures): bigint {
  return RECEIPT_NAMES.reduce((sum, [kind]) => sum + BigInt(counts[kind] ?? 0) * (figures[kind] ?? 0n), 0n)
}
