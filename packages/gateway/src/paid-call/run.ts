// The core of everything that costs money: a call whose cost is held, the work that it pays for, and its one settlement.

import { imageTimeoutsOf } from '../config/upstream-defaults.ts'
import { endAttempt } from '../observe/upstream-attempt.ts'
import { Failure } from '../request/failure.ts'
import { formatRequestId } from '../request/ids.ts'
import type { Kind, PaidCallDependencies, PaidRequest } from './paid-request.ts'
import { settle } from './settle.ts'

/** How long the response is read on after the client disconnected, so that the charge is exact. */
export const DRAIN_MS = 120_000

/** Before the upstream's headers arrive, a disconnect cancels the call at no charge; not for accounts that do so repeatedly. */
export function cancelOnDisconnect(call: PaidRequest, deps: PaidCallDependencies): void {
  call.client.onDisconnect = () => cancel(call, deps)
  if (call.client.isDisconnected) cancel(call, deps)
}

function cancel({ caller, upstreamCall }: PaidRequest, { freeAborts }: PaidCallDependencies): void {
  if (freeAborts.mustDrain(caller.account)) upstreamCall.endWithin(DRAIN_MS, 'client_disconnected')
  else upstreamCall.abort('client_disconnected')
}

/** The call runs to its end and is charged, and its idempotency key replays the response: what was begun is billed. */
export function finishAfterDisconnect({ client, upstreamCall, attempt }: PaidRequest): void {
  const { drainMs } = imageTimeoutsOf(attempt.candidate.upstream)
  client.onDisconnect = () => upstreamCall.endWithin(drainMs, 'client_disconnected')
  if (client.isDisconnected) client.onDisconnect()
}

/**
 * Does the work that is paid for. The work settles the request before its last byte leaves; if it throws without having done so,
 * open.ts voids the hold. `watchClient` decides what a disconnect means.
 */
export function runPaidCall<T, C extends PaidRequest, D extends PaidCallDependencies>(
  call: C,
  work: (call: C, deps: D) => Promise<T>,
  deps: D,
  watchClient: (call: C, deps: D) => void = cancelOnDisconnect,
): Promise<T> {
  call.isRunning = true
  watchClient(call, deps)
  return work(call, deps)
}

/** The request has failed, perhaps before any work was done for it. */
export async function endFailed(call: PaidRequest<Kind>, error: unknown, deps: PaidCallDependencies): Promise<void> {
  if (!isRunning(call)) return
  if (error instanceof Failure) endAttempt(call.record, error.info.code, error.info.message)
  await voidUnsettled(call, deps)
}

const isRunning = (call: PaidRequest<Kind>): call is PaidRequest => call.isRunning

/** A hold that nothing settles would reserve funds for as long as this process runs. */
export async function voidUnsettled(call: PaidRequest, deps: PaidCallDependencies): Promise<void> {
  if (call.isSettled) return
  const { reason } = call.upstreamCall
  await settle(call, { outcome: reason ?? 'failed', charges: [], sawOutput: false }, deps).catch((error) =>
    deps.log.error('call not settled', { request: formatRequestId(call.id), error: String(error) }),
  )
}
