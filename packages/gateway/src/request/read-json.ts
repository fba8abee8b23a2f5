// Reads the JSON body of a request, under a byte limit.

import { type BodyError, NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
import { JSON_BODY, readBody } from '@trivium/http/bodies/read-body.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import { bodyFailure } from './failure.ts'

export type ReadDependencies = {
  ticker: Pick<Ticker, 'after'>
  /** How long the sender of a body may be silent; absent: 30 seconds. */
  bodyIdleMs?: number | undefined
}

export const BODY_IDLE_MS = 30_000

export const bodyTimeout = ({ ticker, bodyIdleMs = BODY_IDLE_MS }: ReadDependencies) => ({
  after: ticker.after,
  idleMs: bodyIdleMs,
})

/** Accounts for the memory of a body. Both return false when memory is exhausted. */
type BodySlot = {
  receive(sent: number, bytes: number): boolean
  /** All of it has arrived. */
  received(bytes: number): boolean
}

/** The body, of which nothing has been parsed; a promise only if it has not arrived yet. */
export function readJson(
  http: HttpRequest,
  limitBytes: number,
  slot: BodySlot,
  deps: ReadDependencies,
): Uint8Array | Promise<Uint8Array> {
  const { after, idleMs } = bodyTimeout(deps)
  const body = readBody(http, { limitBytes, contentTypes: JSON_BODY, slot, after, idleMs })
  return body instanceof Promise ? body.then((read) => receivedBody(read, slot)) : receivedBody(body, slot)
}

function receivedBody(body: Uint8Array | BodyError, slot: BodySlot): Uint8Array {
  if (!(body instanceof Uint8Array)) throw bodyFailure(body)
  if (!slot.received(body.length)) throw bodyFailure(NO_MEMORY)
  return body
}
