// Server-sent events whose data is JSON with images in it. Unlike event-reader.ts it never joins the bytes of an event and
// makes no text of them: the long strings of up to 64 MiB stay in the pieces that the network delivered.

import type { Codec } from './codec.ts'
import { openThinJson, type ThinJson, ThinJsonOverflow } from './json/thin-json.ts'

/** `before` and `after`: what stood around the data, for one who passes the event on. */
export type ThinEvent = { event: string | undefined; data: ThinJson; before: string; after: string }

export type ThinEventReader = {
  /** Throws ThinJsonOverflow. */
  push(bytes: Uint8Array): void
  /** Hands out an event that ended without its blank line. */
  end(): void
}

export const MAX_IMAGE_EVENT_BYTES = 64 * 1024 * 1024
/** Lines other than data: comments, names of events. */
const MAX_LINE = 64 * 1024

const LF = 0x0a
const CR = 0x0d
const DATA = [0x64, 0x61, 0x74, 0x61, 0x3a]
const SPACE = 0x20

export function openThinEvents(
  onEvent: (event: ThinEvent) => void,
  codec: Codec,
  limit = MAX_IMAGE_EVENT_BYTES,
): ThinEventReader {
  const data = openThinJson(limit)
  let hasData = false
  let name: string | undefined
  /** The open line: `data`, whose value goes to the reader at once, another, or one whose beginning is too short to say. */
  let kind: 'unknown' | 'data' | 'other' = 'unknown'
  let line: number[] = []
  let skipLineFeed = false
  let skipSpace = false
  let before = 'data:'
  let after = '\n\n'

  function take(bytes: Uint8Array, start: number, end: number): void {
    let at = start
    while (kind === 'unknown' && at < end) {
      line.push(bytes[at++] ?? 0)
      const index = line.length - 1
      if (line[index] !== DATA[index]) kind = 'other'
      else if (line.length === DATA.length) {
        kind = 'data'
        skipSpace = true
        // Several data lines of one event are joined by line feeds, which are white space between JSON tokens.
        if (hasData) data.push(Uint8Array.of(LF))
        hasData = true
      }
    }
    if (at === end) return
    if (kind === 'data') {
      if (skipSpace) before = bytes[at] === SPACE ? 'data: ' : 'data:'
      if (skipSpace && bytes[at] === SPACE) at++
      skipSpace = false
      data.push(bytes, at, end)
    } else {
      if (line.length + end - at > MAX_LINE)
        throw new ThinJsonOverflow(`a line of an event stream is longer than ${MAX_LINE} bytes`)
      for (; at < end; at++) line.push(bytes[at] ?? 0)
    }
  }

  function closeLine(): void {
    if (kind === 'other') {
      const text = codec.decode(Uint8Array.from(line), 0, line.length).replace(/^\ufeff/, '')
      if (text.startsWith('event:')) name = text.slice(6).trim() || undefined
      // A byte order mark before the first line hides that it is one of data.
      else if (text.startsWith('data:')) {
        hasData = true
        data.push(codec.encode(text.slice(5)))
      }
    } else if (kind === 'unknown' && line.length === 0) dispatch()
    kind = 'unknown'
    line = []
  }

  function dispatch(): void {
    const event = name
    name = undefined
    if (!hasData) return
    hasData = false
    onEvent({ event, data: data.take(), before, after })
  }

  return {
    push(bytes) {
      let at = 0
      if (skipLineFeed && bytes[0] === LF) at = 1
      if (bytes.length > 0) skipLineFeed = false
      let lf = bytes.indexOf(LF, at)
      let cr = bytes.indexOf(CR, at)
      while (lf >= 0 || cr >= 0) {
        const isCr = cr >= 0 && (lf < 0 || cr < lf)
        const end = isCr ? cr : lf
        take(bytes, at, end)
        if (kind === 'data') after = isCr ? '\r\n\r\n' : '\n\n'
        closeLine()
        at = end + 1
        if (isCr) {
          if (at === bytes.length) skipLineFeed = true
          else if (bytes[at] === LF) at++
          cr = bytes.indexOf(CR, at)
        }
        if (lf >= 0 && lf < at) lf = bytes.indexOf(LF, at)
      }
      take(bytes, at, bytes.length)
    },
    end() {
      if (kind !== 'unknown' || line.length > 0) closeLine()
      dispatch()
    },
  }
}
