// The settlement of a call for images: those that were delivered are charged.

import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { bookableTokens } from '../money/limits.ts'
import type { Outcome } from '../paid-call/outcome.ts'
import { type SettleDependencies, settle as settlePaidCall } from '../paid-call/settle.ts'
import type { ImageCall } from './image-call.ts'

/** Fewer images than requested. */
const PARTIAL = 'n;partial'

/** The last byte may leave when this resolves. `body`: what a repeated request is answered with. */
export async function settle(call: ImageCall, body: Pieces, deps: SettleDependencies): Promise<void> {
  const { attempt, delivered, request, usage, client } = call
  const { rate } = attempt.offer
  const made = { images: delivered, requested: request.n, usage }
  const charge = rate.cost(made)
  const outcome: Outcome = client.isDisconnected ? 'client_gone' : 'completed'
  const tokens = (usage?.input ?? 0) + (usage?.output ?? 0)
  await settlePaidCall(
    call,
    {
      ...{ outcome, charges: charge ? [charge] : [], sawOutput: true, tokens: bookableTokens(tokens), body },
      upstreamCost: attempt.candidate.costRate?.cost(made)?.cost,
    },
    deps,
  )
}

/** To be called before the headers of the response are sent. */
export function warnIfPartial({ attempt, delivered, request }: ImageCall): void {
  if (delivered.length < request.n && !attempt.warnings.includes(PARTIAL)) attempt.warnings.push(PARTIAL)
}
