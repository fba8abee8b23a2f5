// What a finished task costs: what was really made, at the price of its submit, and never more than was held.

import type { UpstreamVideoTask } from '@trivium/protocol/canonical/video.ts'
import { billableVideo } from '../money/prices/video-bound.ts'
import { thawPrice } from './frozen-price.ts'
import type { Task, TaskEnd } from './task.ts'

export function chargeFor({ data }: Task, made: UpstreamVideoTask): Pick<TaskEnd, 'cost' | 'units' | 'figures'> {
  const held = BigInt(data.held)
  const charge = thawPrice(data.price).cost(billableVideo(made, data.requested))
  // Something was made, and what it is cannot be told: it is what was held for.
  if (charge === undefined) return { cost: String(held) }
  const { cost, units, figures } = charge
  return { cost: String(cost > held ? held : cost), units, figures }
}
