// Skips the values of large bodies with the WebAssembly of json-skip-code.ts: the text is copied into its memory, which is
// kept. See docs/decisions/0013-skip-in-wasm.md.

import { type LongString, type Nested, NO_NOTES, noteLong, QUOTE, type SkipValue, skipValue } from './json-skip.ts'
import {
  COUNT,
  LONGEST_TEXT,
  MEMORY_SIZE,
  NOTES,
  NOTES_END,
  REJECTED,
  skipModule,
  VALUES_LEFT,
  ZEROS,
} from './json-skip-code.ts'

/** As much of it as is needed here: it is no part of the language, and this package has no types of a platform. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Instance: new (module: object, imports: object) => { exports: Exports }
  Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer }
}
type Exports = { skipValue(at: number, noteDepths: number, valuesLeft: number): number }

/** In a smaller text little can be won, and the copy has to be paid. */
const SHORTEST_TEXT = 4 * 1024
/** From here on the native search for the end of a string is better than 32 bytes at a time, and a copy of it. */
const LONG_STRETCH = 8 * 1024

type Opened = { skip: Exports['skipValue']; text: Uint8Array; words: Int32Array }

const opened = open()

function open(): Opened | undefined {
  try {
    const pages = Math.ceil(MEMORY_SIZE / 65_536)
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(skipModule()), { host: { memory } })
    return { skip: exports.skipValue, text: new Uint8Array(memory.buffer), words: new Int32Array(memory.buffer) }
  } catch {
    // It does not load on a CPU without vector instructions, for example. Then skipValue does it all.
    return undefined
  }
}

/** Skips values of this body faster than `skipValue`; undefined: nothing does. Valid until the call for the next body. */
export function wasmSkipFor(bytes: Uint8Array): SkipValue | undefined {
  if (bytes.length < SHORTEST_TEXT || isOneStretch(bytes)) return undefined
  return loadWasmSkip(bytes)
}

/** A body with an image, for example, is one long string for the most part, and then it is one in its middle. */
function isOneStretch(bytes: Uint8Array): boolean {
  const middle = bytes.length >> 1
  return !bytes.subarray(middle, middle + LONG_STRETCH).includes(QUOTE)
}

/** The same for any body that fits. */
export function loadWasmSkip(bytes: Uint8Array): SkipValue | undefined {
  if (opened === undefined || bytes.length > LONGEST_TEXT) return undefined
  opened.text.set(bytes)
  opened.text.fill(0, bytes.length, bytes.length + ZEROS)
  return skipLoaded
}

const longString = (words: Int32Array, note: number): LongString => ({
  keyStart: words[note] ?? 0,
  keyEnd: words[note + 1] ?? 0,
  start: words[note + 2] ?? 0,
  end: words[note + 3] ?? 0,
})

function skipLoaded(bytes: Uint8Array, at: number, nested: Nested): number {
  if (opened === undefined) return skipValue(bytes, at, nested)
  const { skip, words } = opened
  const { noteDepths } = nested
  const end = skip(at, noteDepths, nested.maxValues - nested.values)
  if (end === REJECTED) return skipValue(bytes, at, nested)
  nested.count = words[COUNT / 4] ?? 0
  nested.values = nested.maxValues - (words[VALUES_LEFT / 4] ?? 0)
  const notesEnd = (words[NOTES_END / 4] ?? 0) / 4
  for (let note = NOTES / 4; note < notesEnd; note += 4) {
    // The names of members have a negative number there.
    if ((words[note + 3] ?? 0) > 0) noteLong(nested, longString(words, note))
  }
  nested.members = noteDepths === 0 ? NO_NOTES : words.slice(NOTES / 4, notesEnd)
  return end
}
