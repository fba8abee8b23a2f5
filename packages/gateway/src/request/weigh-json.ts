// Weighs a large body before it is parsed: a rejection must cost far less than parsing it.

import type { Codec } from '@trivium/protocol/framing/codec.ts'
import { scanObject } from '@trivium/protocol/framing/json/json-scan.ts'
import { memoryFailure } from './failure.ts'

/** What a JSON value takes in memory once it has been parsed and translated, on average. */
export const BYTES_PER_VALUE = 128

/** Smaller bodies are parsed in less time than it is worth. */
const LARGE_BYTES = 64 * 1024

/** Throws Failure. What is no JSON, or has more values than are allowed, is left to the parser to reject. */
export function weighJson(
  body: Uint8Array,
  codec: Codec,
  slot: { weigh(bytes: number): boolean },
  { values, memoryBytes }: { values: number; memoryBytes: number },
): void {
  if (body.length <= LARGE_BYTES) return
  const scan = scanObject(body, codec, undefined, values)
  const bytes = scan.ok ? body.length + scan.values * BYTES_PER_VALUE : 0
  if (!slot.weigh(bytes)) throw memoryFailure(bytes, memoryBytes)
}
