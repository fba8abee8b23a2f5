// Server-sent events from bytes that are cut anywhere. Only whole lines are turned into text, so no character is split.

import type { Codec } from './codec.ts'
import { growingBytes } from './growing-bytes.ts'
import { openSseParser, type SseEvent, SseOverflow } from './sse.ts'

export type EventReader = {
  /** Throws SseOverflow. */
  push(bytes: Uint8Array): void
  /** Hands out an event that ended without its blank line. Throws SseOverflow. */
  end(): void
}

/** No model emits an event this large; an upstream that does must not make us keep it. */
export const MAX_EVENT_BYTES = 16 * 1024 * 1024

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

export function openEventReader(
  onEvent: (event: SseEvent) => void,
  codec: Codec,
  limit = MAX_EVENT_BYTES,
): EventReader {
  const parser = openSseParser(limit)
  /** The line that is still open. */
  const pending = growingBytes()

  /** The last thing was a blank line: no event is open. */
  let isBetween = true

  function take(bytes: Uint8Array, end: number): void {
    const text = codec.decode(bytes, 0, end)
    const isOne = isBetween && isOneEvent(text)
    isBetween = text.endsWith('\n\n')
    // Models send one event at a time, and then there is nothing to take apart.
    if (isOne) onEvent({ event: undefined, data: text.slice(DATA.length, -2), id: undefined })
    else for (const event of parser.push(text)) onEvent(event)
  }

  return {
    push(bytes) {
      const end = lastLineEnd(bytes)
      if (end === 0) {
        if (pending.length + bytes.length > limit) {
          pending.drop()
          throw new SseOverflow(`a server-sent event is longer than ${limit} bytes`)
        }
        pending.append(bytes)
        return
      }
      if (pending.length === 0) take(bytes, end)
      else {
        pending.append(bytes.subarray(0, end))
        const whole = pending.take()
        take(whole, whole.length)
      }
      if (end < bytes.length) pending.append(bytes.subarray(end))
    },
    end() {
      if (pending.length > 0) {
        const rest = pending.take()
        take(rest, rest.length)
      }
      for (const event of parser.end()) onEvent(event)
    },
  }
}

const DATA = 'data: '

/** Nothing but one data line and its blank line. The first text may begin with a byte order mark, and is none then. */
function isOneEvent(text: string): boolean {
  return (
    text.startsWith(DATA) && text.endsWith('\n\n') && text.indexOf('\n') === text.length - 2 && !text.includes('\r')
  )
}

/** Behind the last line end; 0 when there is none. */
function lastLineEnd(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= 0; at--) {
    if (bytes[at] === LINE_FEED || bytes[at] === CARRIAGE_RETURN) return at + 1
  }
  return 0
}
