// Puts together what is forwarded of one array of bytes: usually all of it, untouched and uncopied.

import type { Codec } from './codec.ts'

export type Relay = {
  /** Begins with a new array; nothing of it is decided yet. */
  open(bytes: Uint8Array): void
  /** Puts the given bytes where `start` to `end` stood. Places only grow. */
  replace(start: number, end: number, instead: Uint8Array): void
  /** Everything up to `end` as decided: the array itself when all of it stays. */
  close(end: number): Uint8Array
}

const EMPTY = new Uint8Array(0)

export function openRelay(codec: Codec): Relay {
  let source: Uint8Array = EMPTY
  // The replacements so far. Plain lists of numbers: with a renamed model there is one for every event.
  const starts: number[] = []
  const ends: number[] = []
  const insteads: Uint8Array[] = []
  let lengthAdded = 0
  return {
    open(bytes) {
      source = bytes
    },
    replace(start, end, instead) {
      starts.push(start)
      ends.push(end)
      insteads.push(instead)
      lengthAdded += instead.length - (end - start)
    },
    close(end) {
      const bytes = source
      source = EMPTY
      if (starts.length === 0) return end === bytes.length ? bytes : bytes.subarray(0, end)
      const whole = new Uint8Array(end + lengthAdded)
      let read = 0
      let written = 0
      for (let index = 0; index < starts.length; index++) {
        const start = starts[index] ?? 0
        codec.copy(bytes, read, start, whole, written)
        written += start - read
        const instead = insteads[index] ?? EMPTY
        for (let at = 0; at < instead.length; at++) whole[written++] = instead[at] ?? 0
        read = ends[index] ?? 0
      }
      codec.copy(bytes, read, end, whole, written)
      starts.length = 0
      ends.length = 0
      insteads.length = 0
      lengthAdded = 0
      return whole
    },
  }
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
