// A request's share of the main thread, as steps of its journey use it.
import type { Client } from '@trivium/http/request.ts'

/** See `Slot`. */
export type Turns = {
  turn(bytes: number, client: Client): Promise<void> | undefined
  run<T>(work: () => T): T
}

/** Smaller bodies are neither measured nor delayed: they cost little more than the rest of their request. */
export const MEASURED_BYTES = 16 * 1024

/** Runs `work` on so many bytes at the expense of the account, once it has its turn. Throws Failure. */
export function inTurn<T>(bytes: number, client: Client, slot: Turns, work: () => T): T | Promise<T> {
  const turn = slot.turn(bytes, client)
  return turn ? turn.then(() => slot.run(work)) : slot.run(work)
}
