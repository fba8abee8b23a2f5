// What the meters of passing streams have in common, whatever dialect the events are in.

import type { ErrorInfo } from '../../../canonical/error.ts'
import type { Finish } from '../../../canonical/finish.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { EventView, RelayProblem } from '../../../framing/event-relay.ts'
import { decodeString } from '../../../framing/json/json-scan.ts'

export type MeterState = {
  /** Bytes of text, reasoning, refusal and tool arguments so far. */
  outputBytes: number
  /** Something that the model produced has been seen: text, a tool call or its end. */
  sawOutput: boolean
  finish: Finish | undefined
  usage: Usage | undefined
  done: boolean
  /** From here on nothing is forwarded any more. */
  error: ErrorInfo | undefined
}

export function newMeterState(): MeterState {
  return { outputBytes: 0, sawOutput: false, finish: undefined, usage: undefined, done: false, error: undefined }
}

const PROBLEMS: Record<RelayProblem, string> = {
  malformed: 'The upstream sent an event that is not a JSON object',
  oversized: 'The upstream sent an event that is too large',
  cut: 'The upstream ended within an event',
}

export const problemInfo = (problem: RelayProblem): ErrorInfo => ({
  code: 'upstream_error',
  message: PROBLEMS[problem],
})

/** The event's data. The relay has made sure that it is an object, or something that only looks like one. */
export function dataOf(view: EventView, codec: Codec): Json | undefined {
  const value = parsedJson(codec.decode(view.bytes, view.start, view.end))
  return isObject(value) ? value : undefined
}

export const isNoted = (view: EventView, code: number): boolean => (view.walk.noted & (1 << code)) !== 0

/** Marks the string that the walk noted under this code as the model's name. */
export function renameAt(view: EventView, code: number): void {
  if (!isNoted(view, code) || view.bytes[view.walk.starts[code] ?? 0] !== QUOTE) return
  view.renameStart = view.walk.starts[code] ?? 0
  view.renameEnd = view.walk.ends[code] ?? 0
}

const QUOTE = 0x22

/** Tells what kind of event it is: by the string noted under `code`, else by the event's own line. */
export function openTypeReader(code: number, codec: Codec): (view: EventView) => string {
  // Most events are of the same kind as the one before.
  let bytes = new Uint8Array(0)
  let word = ''
  return (view) => {
    const isInData = isNoted(view, code)
    const holder = isInData ? view.bytes : view.nameBytes
    const start = isInData ? (view.walk.starts[code] ?? 0) : view.nameStart
    const end = isInData ? (view.walk.ends[code] ?? 0) : view.nameEnd
    if (end - start === bytes.length && codec.hasAt(holder, bytes, start)) return word
    bytes = new Uint8Array(holder.subarray(start, end))
    word = isInData ? (decodeString(holder, start, end, codec) ?? '') : codec.decode(holder, start, end)
    return word
  }
}
