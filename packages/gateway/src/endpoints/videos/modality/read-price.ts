// Prices of video models in the file.

import { isWord } from '../../../modalities/media-quantities.ts'
import { readVariants } from '../../../modalities/read-variants.ts'
import type { Nanos } from '../../../money/amount.ts'
import { addMistake, type YamlValue } from '../../../yaml/document.ts'
import { fieldsOf } from '../../../yaml/fields.ts'
import { readMultiplier, readUsd } from '../../../yaml/scalars.ts'
import { readMultipliers, readTools } from '../../text/modality/read-price.ts'
import type { VideoPrice, VideoUnit } from './price.ts'

const text = 'is for text models; a video model has per_second, per_video or per_million_tokens, in USD'
const VIDEO_FIELDS = {
  per_second: true,
  per_video: true,
  per_million_tokens: true,
  variants: true,
  tiers: true,
  draft: true,
  silent: true,
  tools: true,
  input: text,
  output: text,
  per_image: 'is for image models; a video model has per_second, per_video or per_million_tokens, in USD',
} as const
const VIDEO_UNITS: Readonly<Record<string, VideoUnit>> = {
  per_second: 'second',
  per_video: 'video',
  per_million_tokens: 'million_tokens',
}

const VIDEO_EXAMPLE = 'price: { per_second: 0.05, variants: { "1080p": 0.12 } }'

/** `resolutions`: requests can ask for no others, so that a price for another would never apply. */
export function readVideoPrice(
  value: YamlValue,
  { resolutions }: { resolutions?: readonly string[] } = {},
): VideoPrice | undefined {
  const fields = fieldsOf(value, VIDEO_FIELDS, VIDEO_EXAMPLE)
  if (!fields) return undefined
  const written = Object.keys(VIDEO_UNITS).filter((name) => fields.get(name))
  const [name = 'per_second', other] = written
  if (written.length === 0) addMistake(value, 'per_second, per_video or per_million_tokens is missing; USD')
  if (other !== undefined) addMistake(value, `${name} and ${other} cannot both be the price; keep one of them`)
  const prices = written.map((each) => fields.optional<Nanos | undefined>(each, readUsd, undefined))
  const example = resolutions ? `one of limits.resolutions: ${resolutions.join(', ')}` : '"1080p" or "1280x720"'
  const isVariant = (name: string) => isWord(name) && (!resolutions || resolutions.includes(name))
  const variants = readVariants(fields.get('variants'), isVariant, example)
  const tiers = readMultipliers(fields.get('tiers'))
  const tools = readTools(fields.get('tools'))
  const [draft, silent] = ['draft', 'silent'].map((each) =>
    fields.optional<bigint | undefined>(each, readMultiplier, undefined),
  )
  const [price] = prices
  if (price === undefined) return undefined
  return {
    per: VIDEO_UNITS[name] ?? 'second',
    price,
    variants,
    ...(tiers.size > 0 ? { tiers } : {}),
    ...(draft === undefined ? {} : { draft }),
    ...(silent === undefined ? {} : { silent }),
    ...(tools.size > 0 ? { tools } : {}),
  }
}
