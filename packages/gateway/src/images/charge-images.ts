// The settlement of a call for images: those that were delivered are charged.

import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { type DeliveredImage, type ImageRate, isPricedSize, MOST_IMAGES } from '../endpoints/images/modality/price.ts'
import type { Nanos } from '../money/amount.ts'
import { bookableTokens } from '../money/limits.ts'
import type { Charge } from '../money/prices/price.ts'
import type { PaidCallDependencies } from '../paid-call/paid-request.ts'
import { settle } from '../paid-call/settle.ts'
import type { ImageCall } from './image-call.ts'
import { isSeries, mostImages, pricedSize } from './reserve.ts'

/** Fewer images than requested. */
const PARTIAL = 'n;partial'

/** The last byte may leave when this resolves. `body`: what a repeated request is answered with. */
export async function chargeImages(
  call: ImageCall,
  body: Pieces | undefined,
  deps: PaidCallDependencies,
): Promise<void> {
  const { client } = call
  const { usage, outcome = 'completed' } = call.own
  const { charge, upstreamCost } = chargeOf(call)
  const tokens = (usage?.input ?? 0) + (usage?.output ?? 0)
  await settle(
    call,
    {
      outcome: client.isDisconnected ? 'client_disconnected' : outcome,
      charges: charge ? [charge] : [],
      sawOutput: true,
      tokens: bookableTokens(tokens),
      body,
      upstreamCost,
    },
    deps,
  )
}

/** What was delivered costs the caller, and the operator as far as it is known. */
export function chargeOf(call: ImageCall): { charge: Charge | undefined; upstreamCost: Nanos | undefined } {
  const { attempt } = call
  const { delivered, request, usage, isPassed } = call.own
  const { rate } = attempt.offer
  // A model may make more images than were requested, between its texts: all of them are passed on, and charged as far as a
  // price counts.
  const passed = isPassed ? Math.min(delivered.length, MOST_IMAGES) : 0
  const requested = Math.max(mostImages(request, attempt.candidate), passed)
  const made = { images: delivered, requested, usage }
  const charge = cheaper(
    rate.cost(made),
    rate.cost({ ...made, images: delivered.map((image) => asRequested(image, request, rate)) }),
  )
  return { charge, upstreamCost: attempt.candidate.costRate?.cost(made)?.cost }
}

/** A caller who named a size or a quality does not pay for a more expensive one that the upstream made instead. */
function asRequested(image: DeliveredImage, request: ImageRequest, { price }: ImageRate): DeliveredImage {
  const { quality = 'auto' } = request
  const size = pricedSize(request)
  return {
    size: isPricedSize(price, size) ? size : image.size,
    quality: quality === 'auto' ? image.quality : quality,
  }
}

const cheaper = (one: Charge | undefined, other: Charge | undefined): Charge | undefined =>
  one && other && other.cost < one.cost ? other : one

/** For the headers, if they have not been sent, and for the receipt. */
export function warnIfPartial({ attempt, own: { delivered, request, isPassed } }: ImageCall): void {
  if (isPassed || isSeries(request, attempt.candidate)) return
  if (delivered.length < request.n && !attempt.warnings.includes(PARTIAL)) attempt.warnings.push(PARTIAL)
}
