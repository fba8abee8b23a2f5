// What lists say of a video model, by the names of the configuration file.

import { shownFigures } from '../../../modalities/figures.ts'
import type { Description, Model } from '../../../modalities/modality.ts'
import { formatMillionths } from '../../../money/amount.ts'
import type { VideoPrice, VideoRate } from './price.ts'
import type { VideoModelLimits } from './read-limits.ts'

export function describeVideoModel(
  { limits }: Model<VideoPrice, VideoModelLimits>,
  { price, multiplierMillionths }: VideoRate,
): Description {
  const { seconds, defaultSeconds, resolutions, defaultResolution, ratios, images } = limits
  return {
    price: {
      ...shownFigures([[`per_${price.per}`, price.price]], multiplierMillionths),
      variants: shownFigures([...price.variants], multiplierMillionths),
      ...terms(price, multiplierMillionths),
    },
    limits: {
      seconds: seconds ?? null,
      default_seconds: defaultSeconds ?? null,
      resolutions: resolutions ?? null,
      default_resolution: defaultResolution ?? null,
      ratios: ratios ?? null,
      images: images ?? null,
    },
    protocols: ['video-tasks'],
  }
}

/** As the configuration file writes them: multipliers, and prices per call of a tool. */
function terms({ tiers, draft, silent, tools }: VideoPrice, multiplierMillionths: bigint) {
  const multipliers = tiers && [...tiers].map(([name, each]) => [name, formatMillionths(each)])
  return {
    ...(multipliers ? { tiers: Object.fromEntries(multipliers) } : {}),
    ...(draft === undefined ? {} : { draft: formatMillionths(draft) }),
    ...(silent === undefined ? {} : { silent: formatMillionths(silent) }),
    ...(tools ? { tools: shownFigures([...tools], multiplierMillionths) } : {}),
  }
}
