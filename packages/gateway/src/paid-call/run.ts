// The core of everything that costs money: a call whose cost is held, the work that it pays for, and its one settlement.

import { imageTimeoutsOf } from '../config/upstream-defaults.ts'
import { endAttempt } from '../observe/upstream-attempt.ts'
import { Failure } from '../request/failure.ts'
import { formatRequestId } from '../request/ids.ts'
import type { FreeAborts } from './free-aborts.ts'
import type { PaidCall } from './paid-call.ts'
import { type SettleDependencies, settle } from './settle.ts'

/** How long the response is read on after the client disconnected, so that the charge is exact. */
export const DRAIN_MS = 120_000

type DisconnectDependencies = { freeAborts: FreeAborts }

/** Before the upstream's headers arrive, a disconnect cancels the call at no charge; not for accounts that do so repeatedly. */
export function cancelOnDisconnect(call: PaidCall, { freeAborts }: DisconnectDependencies): void {
  const { client, caller, upstreamCall } = call
  client.onDisconnect = () => {
    if (freeAborts.mustDrain(caller.account)) upstreamCall.endWithin(DRAIN_MS, 'client_disconnected')
    else upstreamCall.abort('client_disconnected')
  }
  if (client.isDisconnected) client.onDisconnect()
}

/** The call runs to its end and is charged, and its idempotency key replays the response: what was begun is billed. */
export function finishAfterDisconnect({ client, upstreamCall, attempt }: PaidCall): void {
  const { drainMs } = imageTimeoutsOf(attempt.candidate.upstream)
  client.onDisconnect = () => upstreamCall.endWithin(drainMs, 'client_disconnected')
  if (client.isDisconnected) client.onDisconnect()
}

/**
 * Does the work that is paid for. The work settles the call before its last byte leaves; if it throws without having done
 * so, the hold is voided. `watchClient` decides what a disconnect means.
 */
export async function runPaidCall<T>(
  call: PaidCall,
  work: () => Promise<T>,
  deps: SettleDependencies,
  watchClient: (call: PaidCall, deps: SettleDependencies) => void = cancelOnDisconnect,
): Promise<T> {
  watchClient(call, deps)
  try {
    // Work may also throw before it returns a promise.
    return await work()
  } catch (error) {
    if (error instanceof Failure) endAttempt(call.record, error.info.code, error.info.message)
    await voidUnsettled(call, deps)
    throw error
  }
}

/** A hold that nothing settles would reserve funds for as long as this process runs. */
export async function voidUnsettled(call: PaidCall, deps: SettleDependencies): Promise<void> {
  if (call.isSettled) return
  const { reason } = call.upstreamCall
  await settle(call, { outcome: reason ?? 'failed', charges: [], sawOutput: false }, deps).catch((error) =>
    deps.log.error('call not settled', { request: formatRequestId(call.id), error: String(error) }),
  )
}
