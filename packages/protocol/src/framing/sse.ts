// Server-sent events: text in any pieces -> events, and back. The only parser: every upstream is read through it.

export type SseEvent = {
  event: string | undefined
  data: string
  /** The id line of this very event. Nothing here reconnects, so no id is carried over to later events. */
  id: string | undefined
}

export type SseParser = {
  /** The events that this piece of text completes. Throws SseOverflow. */
  push(text: string): SseEvent[]
  /** The event that the stream ended in without its blank line, if there is one. Throws SseOverflow. */
  end(): SseEvent[]
}

/** A line, or the data of one event, longer than the parser was told to take. The stream cannot be read on. */
export class SseOverflow extends Error {
  override name = 'SseOverflow'
}

/** Ample for text. Images travel as base64 in one line and need more. */
const DEFAULT_SSE_LIMIT = 8 * 1024 * 1024

/** `limit` bounds both one line and one event's data, in UTF-16 code units; without it an upstream could fill the memory. */
export function openSseParser(limit: number = DEFAULT_SSE_LIMIT): SseParser {
  // What is large comes in one line: many lines hold on to everything that they were cut from.
  const manyLines = Math.min(limit, DEFAULT_SSE_LIMIT)
  let started = false
  let endedInCarriageReturn = false
  let overflowed = false
  // The pieces of the line that is still open. They are joined once, when it closes: a long line that comes in small
  // pieces would otherwise be copied and searched again for each of them.
  let pieces: string[] = []
  let piecesLength = 0
  let event: string | undefined
  let id: string | undefined
  let data: string[] = []
  let dataLength = 0

  function dispatch(into: SseEvent[]): void {
    if (data.length > 0) into.push({ event, data: data.length === 1 ? (data[0] ?? '') : data.join('\n'), id })
    event = undefined
    id = undefined
    data = []
    dataLength = 0
  }

  function takeLine(line: string, into: SseEvent[]): void {
    if (line === '') dispatch(into)
    else takeField(line)
  }

  function takeField(line: string): void {
    const colon = line.indexOf(':')
    if (colon === 0) return // a comment
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1)
    if (name === 'data') {
      data.push(value)
      dataLength += value.length + 1
      if (dataLength > 1 + (data.length > 1 ? manyLines : limit)) overflowed = true
    } else if (name === 'event') event = value === '' ? undefined : value
    else if (name === 'id' && !value.includes('\0')) id = value
  }

  function closeLine(tail: string, into: SseEvent[]): void {
    if (piecesLength + tail.length > limit) {
      overflowed = true
      return
    }
    if (piecesLength === 0) {
      takeLine(tail, into)
      return
    }
    pieces.push(tail)
    const line = pieces.join('')
    pieces = []
    piecesLength = 0
    takeLine(line, into)
  }

  function keepOpen(tail: string): void {
    if (tail === '') return
    piecesLength += tail.length
    if (piecesLength > limit) overflowed = true
    else pieces.push(tail)
  }

  /** Events that were complete before the overflow are not lost: they are handed out, and the next call throws. */
  function handOut(events: SseEvent[]): SseEvent[] {
    if (!overflowed) return events
    pieces = []
    data = []
    if (events.length > 0) return events
    throw new SseOverflow(`a server-sent event is longer than ${limit} characters`)
  }

  return {
    push(text) {
      const events: SseEvent[] = []
      if (overflowed || text === '') return handOut(events)
      let position = 0
      if (!started) {
        started = true
        if (text.charCodeAt(0) === 0xfeff) position = 1
      }
      // A line that ended in CR was closed at once; the LF of a CRLF cut in two must not close an empty line.
      if (endedInCarriageReturn && text.charCodeAt(position) === 0x0a) position += 1
      endedInCarriageReturn = false

      let lineFeed = text.indexOf('\n', position)
      let carriageReturn = text.indexOf('\r', position)
      while (!overflowed && (lineFeed >= 0 || carriageReturn >= 0)) {
        const byCarriageReturn = carriageReturn >= 0 && (lineFeed < 0 || carriageReturn < lineFeed)
        const end = byCarriageReturn ? carriageReturn : lineFeed
        closeLine(text.slice(position, end), events)
        position = end + 1
        if (byCarriageReturn) {
          if (position === text.length) endedInCarriageReturn = true
          else if (lineFeed === position) position += 1
          carriageReturn = text.indexOf('\r', position)
        }
        if (lineFeed >= 0 && lineFeed < position) lineFeed = text.indexOf('\n', position)
      }
      if (!overflowed) keepOpen(text.slice(position))
      return handOut(events)
    },
    end() {
      const events: SseEvent[] = []
      if (overflowed) return handOut(events)
      if (piecesLength > 0) closeLine('', events)
      if (!overflowed) dispatch(events)
      return handOut(events)
    },
  }
}

/** One event as text. Data with line breaks becomes several data lines, which a parser joins again. */
export function formatSse(data: string, event?: string): string {
  const head = event === undefined ? '' : `event: ${event}\n`
  const lines = /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data
  return `${head}data: ${lines}\n\n`
}
