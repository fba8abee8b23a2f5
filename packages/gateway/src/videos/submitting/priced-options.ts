// What a request asks for besides its length and resolution that changes what an upstream of the same dialect charges. What has
// no price is not sent.

import type { VideoRequest } from '@trivium/protocol/canonical/video.ts'
import { isPricedElsewhere } from '@trivium/protocol/dialects/shared/pass-through/unread-fields.ts'
import type { PricedOptions } from '../../endpoints/videos/modality/bound.ts'
import { isPricedTier, MOST_TOOL_CALLS, type VideoPrice } from '../../endpoints/videos/modality/price.ts'

export type RequestOptions = {
  options: PricedOptions
  /** The tier that is sent. */
  serviceTier: string | undefined
  /** Fields, and types of tools, that are not sent. */
  drop: readonly string[]
  dropTools: readonly string[]
}

/** The vendor chooses among its tiers. */
const ANY_TIER = 'auto'

/** How services call the number of videos, or of other things, that one request makes: no price says what several cost. */
const COUNTS: ReadonlySet<string> = new Set([
  'n',
  'count',
  'samples',
  'batch',
  'bestof',
  'batchsize',
  'batchcount',
  'samplecount',
  'videocount',
  'imagecount',
  'numvideos',
  'numimages',
  'numoutputs',
  'numsamples',
  'numgenerations',
  'numresults',
  'numberofvideos',
  'numberofimages',
  'numberofoutputs',
  'numberofsamples',
  'numberresults',
  'outputcount',
  'sequentialimagegeneration',
  'sequentialimagegenerationoptions',
  'sequentialvideogeneration',
])

/** Said at all, and a number of videos, or leave for another model or vendor to make them. */
const isUnpriced = (field: VideoRequest['unknown'][number]): boolean =>
  field.text !== 'null' && (isCount(field.name) || isPricedElsewhere(field))

const isCount = (name: string): boolean => COUNTS.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''))

export function requestOptions(
  request: VideoRequest,
  price: VideoPrice,
  draft?: { isSilent: boolean },
): RequestOptions {
  const { serviceTier, tools, unknown } = request
  const isSent = serviceTier === undefined || isKnownTier(serviceTier, price)
  const tier = isSent && serviceTier !== undefined ? pricedTier(serviceTier, price) : undefined
  const isPriced = (tool: string): boolean => price.tools?.has(tool) === true
  const unpriced = unknown.filter(isUnpriced).map(({ name }) => name)
  // The final of a draft has sound if the draft has.
  const isSilent = request.generateAudio === undefined ? draft?.isSilent === true : !request.generateAudio
  return {
    options: {
      ...(tier === undefined ? {} : { tier }),
      ...(request.draft ? { isDraft: true } : {}),
      ...(isSilent ? { isSilent: true } : {}),
      ...(tools.some(isPriced)
        ? { toolCalls: Object.fromEntries(tools.filter(isPriced).map((tool) => [tool, MOST_TOOL_CALLS])) }
        : {}),
    },
    serviceTier: isSent ? serviceTier : undefined,
    drop: isSent ? unpriced : ['service_tier', ...unpriced],
    dropTools: tools.filter((tool) => !isPriced(tool)),
  }
}

export function unpricedWarnings({ drop, dropTools }: RequestOptions): string[] {
  return [...drop, ...(dropTools.length > 0 ? ['tools'] : [])].map((field) => `${field};no-price`)
}

const isKnownTier = (tier: string, price: VideoPrice): boolean =>
  tier === ANY_TIER ? (price.tiers?.size ?? 0) > 0 : isPricedTier(tier, price)

/** The most expensive of the tiers that the vendor may choose. */
function pricedTier(tier: string, { tiers }: VideoPrice): string | undefined {
  if (tier !== ANY_TIER) return tiers?.has(tier) ? tier : undefined
  const [most] = [...(tiers ?? [])].toSorted(([, one], [, other]) => (one < other ? 1 : -1))
  return most?.[0]
}
