// The events of a stream often begin alike, up to the object that has the new text. Such a beginning is compared with that of
// an earlier event instead of being walked again, which saves more than half of the walk.

import type { Codec } from './codec.ts'
import { resetWalk, type Walk, type WatchList, walkJson } from './json/json-walk.ts'

/** Longer beginnings are not worth remembering. */
const MAX_BYTES = 2_048
/** A stream whose events begin differently each time is walked in full. */
const MAX_MISSES = 16
const EMPTY = new Uint8Array(0)

export type PrefixOptions = {
  /** The code of the name whose object ends the beginning, and how many brackets are open inside of it. */
  pivot: number
  depth: number
  /** A bit for each code that may be noted in the beginning; with any other one, or with text, it is walked each time. */
  harmless: number
}

export type EventPrefix = {
  /** Gives where to walk on if the event at `at` begins like an earlier one, with the walk as it is there. Else 0. */
  resume(bytes: Uint8Array, at: number, walk: Walk): number
  /** Remembers the beginning of an event that was walked in full; `start`: of its data. Overwrites the walk. */
  learn(bytes: Uint8Array, at: number, start: number, walk: Walk): void
}

export function openEventPrefix({ pivot, harmless }: PrefixOptions, watched: WatchList, codec: Codec): EventPrefix {
  let prefix: Uint8Array = EMPTY
  let misses = 0
  let noted = 0
  let seen = 0
  /** The noted codes, and where their values are in the prefix. */
  let codes: number[] = []
  let starts: number[] = []
  let ends: number[] = []

  function resume(bytes: Uint8Array, at: number, walk: Walk): number {
    if (prefix.length === 0 || !codec.hasAt(bytes, prefix, at)) return 0
    walk.noted = noted
    walk.seen = seen
    walk.pivots = 1
    for (let index = 0; index < codes.length; index++) {
      const code = codes[index] ?? 0
      walk.starts[code] = at + (starts[index] ?? 0)
      walk.ends[code] = at + (ends[index] ?? 0)
    }
    misses = 0
    return at + prefix.length
  }

  function learn(bytes: Uint8Array, at: number, start: number, walk: Walk): void {
    const end = walk.pivotEnd
    if (misses++ >= MAX_MISSES || walk.pivots !== 1 || end === 0 || end - at > MAX_BYTES) return
    resetWalk(walk)
    walkJson(bytes, start, end, 0, watched, pivot, walk)
    if ((walk.noted & ~harmless) !== 0 || walk.textBytes.some((length) => length > 0)) return
    noted = walk.noted
    seen = walk.seen
    codes = walk.starts.map((_, code) => code).filter((code) => (noted & (1 << code)) !== 0)
    starts = codes.map((code) => (walk.starts[code] ?? 0) - at)
    ends = codes.map((code) => (walk.ends[code] ?? 0) - at)
    // Not `slice`, which a runtime's own buffers answer with a view: the bytes belong to the caller and may change.
    prefix = new Uint8Array(bytes.subarray(at, end))
  }

  return { resume, learn }
}
