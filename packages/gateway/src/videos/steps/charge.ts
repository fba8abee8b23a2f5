// What a finished task costs: what was really made, at the price of its submit, and never more than was held.

import type { UpstreamVideoTask } from '@trivium/protocol/canonical/video.ts'
import { billableVideo } from '../../endpoints/videos/modality/bound.ts'
import { callsOf, type Video, type VideoRate } from '../../endpoints/videos/modality/price.ts'
import type { TaskEnd } from '../../tasks/task.ts'
import { thawPrice } from '../frozen-price.ts'
import type { VideoTask } from '../task.ts'

export function chargeFor({ data }: VideoTask, made: UpstreamVideoTask): Pick<TaskEnd, Figures> {
  const held = BigInt(data.held)
  const rate = thawPrice(data.price)
  const video = billableVideo(made, data.requested, rate.price)
  const charge = rate.cost(video)
  if (charge && charge.cost <= held) return { ...charge, cost: String(charge.cost), ...termsOf(video, rate) }
  // More than was asked for, or what it is cannot be told: it is what was held for.
  const most = withResolution(data.heldFor, rate)
  const { units = '"videos":1', figures = `"per_video":"${held}"` } = rate.cost(most) ?? {}
  return { cost: String(held), units, figures, ...termsOf(most, rate) }
}

type Figures = 'cost' | 'units' | 'figures' | 'details'

/** What the figures are for, besides. */
function termsOf(video: Video, { price }: VideoRate): Pick<TaskEnd, 'details'> {
  const calls = callsOf(video, price)
  let details = ''
  if (calls.length > 0)
    details += `,"tools":${JSON.stringify(Object.fromEntries(calls.map((call) => [call.tool, call.calls])))}`
  if (video.tier !== undefined && price.tiers?.has(video.tier)) details += `,"tier":${JSON.stringify(video.tier)}`
  return details === '' ? {} : { details }
}

/** A hold for any resolution is for the most expensive. */
function withResolution(video: Video, { price: { price, variants } }: VideoRate): Video {
  if (video.resolution !== undefined) return video
  const [name, figure] = [...variants].reduce((most, each) => (each[1] > most[1] ? each : most), ['', price] as const)
  return figure > price ? { ...video, resolution: name } : video
}
