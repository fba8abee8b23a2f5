// Reads the JSON body of a request, under a byte limit.

import { andThen } from '@trivium/http/and-then.ts'
import { type BodyError, NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
import { type BodyHeaders, bodyHeaders, JSON_BODY, readBody } from '@trivium/http/bodies/read-body.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import type { Ticker } from '@trivium/http/ticker.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'
import { codec } from '../bytes/codec.ts'
import { bodyFailure } from './failure.ts'
import { parseInTurn } from './parse-in-turn.ts'
import { MEASURED_BYTES, type Turns } from './turns.ts'

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

/** Accounts for the memory of a body, and for the time that it takes on the main thread. */
export type BodySlot = Turns & {
  /** Both return false when memory is exhausted. */
  receive(sent: number, bytes: number): boolean
  /** All of it has arrived. */
  received(bytes: number): boolean
  charge(ms: number): void
}

/** Tells JSON from a form, for endpoints that take both. */
export const sendsJson = ({ headers }: Pick<HttpRequest, 'headers'>): boolean =>
  /^\s*application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

/** Inflating happens on other threads; this is what the pieces of a compressed body take on the main thread until they are one array. */
const INFLATED_BYTES_PER_MS = 512 * 1024

/**
 * How many times as long as sent a body may be that nobody pays for: JSON of prose and code is compressed to a tenth, and rarely to
 * less than a thirtieth.
 */
export const UNPAID_RATIO = 100

/**
 * What `parse` makes of the body; a promise only if it has to be waited for. A body that is not small, or may not be, waits for its
 * account's share of the main thread before it is read, and again before it is parsed. `maxRatio`: of compressed bodies.
 */
export function readJson<T>(
  http: HttpRequest,
  limitBytes: number,
  slot: BodySlot,
  deps: ReadDependencies,
  parse: (body: Uint8Array, codec: Codec) => T,
  maxRatio?: number | undefined,
): T | Promise<T> {
  const headers = bodyHeaders(http.headers)
  const turn = isSmall(headers) ? undefined : slot.turn(0, http)
  return andThen(turn, readNow<T>, http, headers, { limitBytes, maxRatio }, slot, deps, parse)
}

function isSmall({ encoding, length }: BodyHeaders): boolean {
  return encoding === null && length !== null && Number(length) <= MEASURED_BYTES
}

function readNow<T>(
  _turn: unknown,
  http: HttpRequest,
  headers: BodyHeaders,
  limits: { limitBytes: number; maxRatio: number | undefined },
  slot: BodySlot,
  deps: ReadDependencies,
  parse: (body: Uint8Array, codec: Codec) => T,
): T | Promise<T> {
  const { after, idleMs } = bodyTimeout(deps)
  const body = readBody(http, { ...limits, contentTypes: JSON_BODY, slot, after, idleMs }, headers)
  return andThen(body, received<T>, http, headers, slot, parse)
}

function received<T>(
  body: Uint8Array | BodyError,
  http: HttpRequest,
  { encoding }: BodyHeaders,
  slot: BodySlot,
  parse: (body: Uint8Array, codec: Codec) => T,
): T | Promise<T> {
  if (!(body instanceof Uint8Array)) throw bodyFailure(body)
  const { length } = body
  if (encoding !== null) slot.charge(length / INFLATED_BYTES_PER_MS)
  if (!slot.received(length)) throw bodyFailure(NO_MEMORY)
  return length <= MEASURED_BYTES ? parse(body, codec) : parseLarge(body, http, slot, parse)
}

const parseLarge = <T>(
  body: Uint8Array,
  http: HttpRequest,
  slot: BodySlot,
  parse: (body: Uint8Array, codec: Codec) => T,
): T | Promise<T> => parseInTurn(body, http, slot, (own) => parse(body, own))
