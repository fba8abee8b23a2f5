// Models that generate videos, priced by the second, by the video or by the token.
import { VIDEO_DIALECT_IDS, type VideoDialectId } from '@trivium/protocol/dialects/video-services.ts'
import { fromFirstRoute } from '../../../modalities/known-limits.ts'
import type { Modality } from '../../../modalities/modality.ts'
import { chargedTiers, hasOnly } from '../../../modalities/receipt-units.ts'
import { NANOS_PER_USD } from '../../../money/amount.ts'
import { compareVideoPrices } from './compare-prices.ts'
import { describeVideoModel } from './describe.ts'
import { callsOf, UNIT_NAMES, type VideoPrice, type VideoRate, videoRate } from './price.ts'
import { mergeVideoLimits, readVideoLimits, type VideoModelLimits } from './read-limits.ts'
import { readVideoPrice } from './read-price.ts'

export const video: Modality<VideoPrice, VideoModelLimits, VideoRate, VideoDialectId> = {
  generates: 'videos',
  endpoints: 'Use POST /api/v3/contents/generations/tasks.',
  dialects: VIDEO_DIALECT_IDS,
  /** Images to begin with or to show. */
  capabilities: ['images'],
  readPrice: readVideoPrice,
  readLimits: readVideoLimits,
  noLimits: {},
  withKnownLimits: fromFirstRoute(mergeVideoLimits),
  capabilitiesWithin: ({ images }) => (images === undefined ? undefined : images > 0 ? ['images'] : []),
  rateOf: videoRate,
  comparePrices: compareVideoPrices,
  comparedBy: ['per_second', 'per_video', 'per_million_tokens'],
  tokens: { input: [], output: ['video_tokens'] },
  describe: describeVideoModel,
  previewedUnits: ['seconds', 'resolution', 'video_tokens', 'tier', 'tools'],
  preview(rate, { seconds, resolution, video_tokens: tokens, tier, tools }) {
    const video = { resolution, seconds, tokens, ...(tier ? { tier } : {}), ...(tools ? { toolCalls: tools } : {}) }
    const charge = rate.cost(video)
    const calls = callsOf(video, rate.price).map((call) => [call.tool, call.calls])
    return charge && { ...charge, tools: calls.length > 0 ? Object.fromEntries(calls) : undefined }
  },
  reprice(rate, receipt) {
    const { units, tools, tier, price } = receipt
    // Receipts do not say which resolution a video had.
    if (rate.price.variants.size > 0 || !hasOnly(receipt, [UNIT_NAMES[rate.price.per]])) return undefined
    const factors = chargedTiers(price?.media_tiers_millionths)
    const video = { resolution: undefined, seconds: units.seconds, tokens: units.video_tokens }
    return rate.cost({
      ...video,
      isDraft: factors.includes('draft'),
      isSilent: factors.includes('silent'),
      ...(tier === undefined ? {} : { tier }),
      ...(tools === undefined ? {} : { toolCalls: tools }),
    })?.cost
  },
  sandbox: {
    id: 'sandbox-video',
    price: { per: 'second', price: NANOS_PER_USD / 20n, variants: new Map() },
    limits: {
      seconds: [1, 12],
      defaultSeconds: 5,
      resolutions: ['480p', '720p', '1080p'],
      defaultResolution: '480p',
    },
    limitsRoutes: true,
  },
}
