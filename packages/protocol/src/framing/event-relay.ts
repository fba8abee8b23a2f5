// Relays a stream of server-sent events as bytes while an inspector decides about each event: most are forwarded unchanged,
// some are held until settlement, and a model's name may be replaced in place.
//
// Events are a token or two each, so an ordinary one (an optional `event:` line, one `data:` line of JSON) is walked once
// and neither decoded nor parsed nor copied. Everything else takes the long way through the parser.

import type { Codec } from './codec.ts'
import { openEventPrefix, type PrefixOptions } from './event-prefix.ts'
import { MAX_EVENT_BYTES } from './event-reader.ts'
import { growingBytes } from './growing-bytes.ts'
import { newWalk, resetWalk, WALKED, type Walk, type WatchList, walkJson } from './json/json-walk.ts'
import { concat, openRelay } from './relay.ts'
import { type Splice, splice } from './splice.ts'
import { formatSse, openSseParser } from './sse.ts'
import { blankLineEnd, dataStart, EDGE_BYTES, endsEvent, eventEnd } from './sse-bytes.ts'

/**
 * `forward`: now, after what was held, since that was not the end. `beside`: now if nothing is held, else with it.
 * `hold`: until the end. `hold-latest`: the same, after what was held. `drop`: never. `fail`: never, and nothing after it.
 */
export type EventAction = 'forward' | 'beside' | 'hold' | 'hold-latest' | 'drop' | 'fail'

/** One event as its inspector sees it. Valid during the call only. */
export type EventView = {
  /** The data is the JSON object from `start` to `end`. */
  bytes: Uint8Array
  start: number
  end: number
  /** The name of the event's own line; empty range: none. */
  nameBytes: Uint8Array
  nameStart: number
  nameEnd: number
  /** What the walk over the data found. */
  walk: Walk
  /** Set by the inspector: a JSON string in the data that the new name takes the place of; 0: nothing. */
  renameStart: number
  renameEnd: number
  /** Set by the inspector, anew for each event: other values in the data that are to be replaced. */
  replaced: readonly Splice[]
}

export type EventInspector = {
  watched: WatchList
  /** For events that begin alike. */
  prefix?: PrefixOptions
  inspect(view: EventView): EventAction
  /** Comments, and data that is `[DONE]` where `done` is absent. */
  idle: 'beside' | 'drop'
  /** The data `[DONE]` has come, which ends the stream. The event is held. */
  done?(): void
  isOver(): boolean
  fail(problem: RelayProblem): void
}

/** Data that is not a JSON object, an event above the limit, or an end within an event. */
export type RelayProblem = 'malformed' | 'oversized' | 'cut'

export type RelayOptions = {
  renameTo: string | undefined
  /** One JSON array instead of events. */
  asArray?: boolean
  limit?: number
}

export type EventRelay = {
  push(chunk: Uint8Array): Uint8Array
  /** The upstream has ended: what was held, and an event without its blank line. */
  end(): Uint8Array
  /** What was held, then this data as the last event of all. */
  endWith(data: string): Uint8Array
}

const EMPTY = new Uint8Array(0)
const NO_SPLICES: readonly Splice[] = []
const END_OF_EVENT = Uint8Array.of(0x0a, 0x0a)
const OPEN_BRACE = 0x7b
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const EVENT_LINE = Uint8Array.from('event:', (letter) => letter.charCodeAt(0))

export function openEventRelay(inspector: EventInspector, options: RelayOptions, codec: Codec): EventRelay {
  const { renameTo, asArray = false, limit = MAX_EVENT_BYTES } = options
  const { watched } = inspector
  const { pivot, depth } = inspector.prefix ?? { pivot: 0, depth: 0 }
  const prefix = inspector.prefix && openEventPrefix(inspector.prefix, watched, codec)
  const newName = renameTo === undefined ? undefined : codec.encode(JSON.stringify(renameTo))
  const relay = openRelay(codec)
  const pending = growingBytes()
  const opening = codec.encode('[')
  const between = codec.encode(',\r\n')
  let elements = 0
  let held: Uint8Array[] = []
  let heldLength = 0
  /** `inspected`: the inspector itself found the failure. */
  let problem: RelayProblem | 'inspected' | undefined
  const walk = newWalk()
  const view: EventView = {
    bytes: EMPTY,
    start: 0,
    end: 0,
    nameBytes: EMPTY,
    nameStart: 0,
    nameEnd: 0,
    walk,
    renameStart: 0,
    renameEnd: 0,
    replaced: NO_SPLICES,
  }

  function push(chunk: Uint8Array): Uint8Array {
    if (isOver()) return EMPTY
    if (pending.length === 0) return forward(chunk)
    const isEnd = endsEvent(pending.tail(EDGE_BYTES), chunk)
    pending.append(chunk)
    if (isEnd) return forward(pending.take())
    if (pending.length > limit) fail('oversized')
    return EMPTY
  }

  function forward(bytes: Uint8Array): Uint8Array {
    relay.open(bytes)
    const length = bytes.length
    let at = 0
    while (at < length) {
      const end = takePlain(bytes, at, Math.min(length, at + limit)) || takeAny(bytes, at, length)
      if (end < 0) break
      at = end
      if (isOver()) break
    }
    if (at < length && !isOver()) {
      pending.append(bytes.subarray(at))
      if (pending.length > limit) fail('oversized')
    }
    view.bytes = EMPTY
    view.nameBytes = EMPTY
    return relay.close(at)
  }

  /** An ordinary event. Gives its end, or 0 when it is anything else or not complete. */
  function takePlain(bytes: Uint8Array, at: number, to: number): number {
    let line = at
    view.nameStart = 0
    view.nameEnd = 0
    if (bytes[at] === EVENT_LINE[0]) {
      if (!codec.hasAt(bytes, EVENT_LINE, at)) return 0
      let nameEnd = at + 6
      while (nameEnd < to && bytes[nameEnd] !== LINE_FEED && bytes[nameEnd] !== CARRIAGE_RETURN) nameEnd++
      view.nameStart = bytes[at + 6] === 0x20 ? at + 7 : at + 6
      view.nameEnd = nameEnd
      line = bytes[nameEnd] === CARRIAGE_RETURN && bytes[nameEnd + 1] === LINE_FEED ? nameEnd + 2 : nameEnd + 1
    }
    const start = dataStart(bytes, line)
    if (start === line || bytes[start] !== OPEN_BRACE) return 0
    resetWalk(walk)
    const resumed = prefix?.resume(bytes, at, walk) ?? 0
    if (walkJson(bytes, resumed || start, to, resumed > 0 ? depth : 0, watched, pivot, walk) !== WALKED) return 0
    const end = blankLineEnd(bytes, walk.end)
    if (end === 0 || end - at > limit) return 0
    view.bytes = bytes
    view.nameBytes = bytes
    view.start = start
    view.end = walk.end
    view.renameStart = 0
    view.renameEnd = 0
    view.replaced = NO_SPLICES
    const verdict = inspected()
    const isChanged = newName !== undefined || view.replaced.length > 0 || asArray
    if (verdict !== 'forward' || isChanged || held.length > 0) dispose(verdict, bytes, at, end)
    if (verdict === 'forward' && resumed === 0 && line === at) prefix?.learn(bytes, at, start, walk)
    return end
  }

  /** Carries out the verdict on an ordinary event. */
  function dispose(verdict: EventAction, bytes: Uint8Array, at: number, end: number): void {
    if (verdict === 'forward' || verdict === 'hold-latest') release(at)
    const { start } = view
    const edits = editsOf(bytes)
    if (!(verdict === 'forward' || (verdict === 'beside' && held.length === 0))) {
      relay.replace(at, end, EMPTY)
      if (verdict === 'drop' || verdict === 'fail') return
      const from = asArray ? start : at
      const whole = bytes.subarray(from, asArray ? view.end : end)
      const within = edits.map((edit) => ({ start: edit.start - from, end: edit.end - from, bytes: edit.bytes }))
      hold(edits.length === 0 ? new Uint8Array(whole) : splice(whole, within, codec))
      return
    }
    if (asArray) relay.replace(at, start, separator())
    for (const edit of edits) relay.replace(edit.start, edit.end, edit.bytes)
    if (asArray) relay.replace(view.end, end, EMPTY)
  }

  /** What the inspector wants replaced, from the first byte to the last. */
  function editsOf(bytes: Uint8Array): readonly Splice[] {
    const { renameStart, renameEnd, replaced } = view
    const isRenamed = newName !== undefined && renameEnd > 0 && !isNamed(bytes, newName)
    if (!isRenamed) return replaced
    const name = { start: renameStart, end: renameEnd, bytes: newName }
    return replaced.length === 0 ? [name] : [name, ...replaced].sort((one, other) => one.start - other.start)
  }

  function isNamed(bytes: Uint8Array, name: Uint8Array): boolean {
    return view.renameEnd - view.renameStart === name.length && codec.hasAt(bytes, name, view.renameStart)
  }

  /** A complete event of any other form: comments, several lines, other line ends, broken data. -1: it is not complete. */
  function takeAny(bytes: Uint8Array, at: number, to: number): number {
    const end = eventEnd(bytes, at, to)
    if (end < 0) return -1
    if (end - at > limit) {
      fail('oversized')
      relay.replace(at, end, EMPTY)
      return end
    }
    const [read] = openSseParser(Number.POSITIVE_INFINITY).push(codec.decode(bytes, at, end))
    const text = read?.data.trim() ?? ''
    if (text === '[DONE]' && inspector.done) {
      inspector.done()
      relay.replace(at, end, EMPTY)
      held.push(new Uint8Array(bytes.subarray(at, end)))
      return end
    }
    if (text === '' || text === '[DONE]') {
      if (inspector.idle === 'drop' || asArray) relay.replace(at, end, EMPTY)
      else if (held.length > 0) {
        relay.replace(at, end, EMPTY)
        // Keep-alives behind a held event must not pile up.
        if (heldLength + end - at <= limit) hold(new Uint8Array(bytes.subarray(at, end)))
      }
      return end
    }
    const json = codec.encode(text)
    const name = codec.encode(read?.event ?? '')
    const verdict = verdictOnText(json, name, text)
    if (verdict === 'forward' || verdict === 'hold-latest') release(at)
    const isNow = verdict === 'forward' || (verdict === 'beside' && held.length === 0)
    const edits = editsOf(json)
    const isEdited = edits.length > 0
    const data = splice(json, edits, codec)
    const framed = () => codec.encode(formatSse(codec.decode(data, 0, data.length), read?.event))
    const whole = asArray ? data : isEdited ? framed() : new Uint8Array(bytes.subarray(at, end))
    if (!isNow) {
      relay.replace(at, end, EMPTY)
      if (verdict !== 'drop' && verdict !== 'fail') hold(whole)
    } else if (asArray) {
      relay.replace(at, at, separator())
      relay.replace(at, end, whole)
    } else if (isEdited) relay.replace(at, end, whole)
    return end
  }

  function verdictOnText(json: Uint8Array, name: Uint8Array, text: string): EventAction {
    view.renameStart = 0
    view.renameEnd = 0
    view.replaced = NO_SPLICES
    if (!isJsonObject(text)) {
      fail('malformed')
      return 'fail'
    }
    resetWalk(walk)
    walkJson(json, 0, json.length, 0, watched, pivot, walk)
    Object.assign(view, {
      bytes: json,
      start: 0,
      end: json.length,
      nameBytes: name,
      nameStart: 0,
      nameEnd: name.length,
    })
    return inspected()
  }

  function inspected(): EventAction {
    const verdict = inspector.inspect(view)
    if (verdict === 'fail') problem = 'inspected'
    return verdict
  }

  function hold(kept: Uint8Array): void {
    held.push(kept)
    heldLength += kept.length
    if (heldLength > limit) fail('oversized')
  }

  function release(at: number): void {
    if (held.length === 0) return
    for (const kept of takeHeld()) relay.replace(at, at, kept)
  }

  /** What was held, ready to be written. */
  function takeHeld(): Uint8Array[] {
    const kept = asArray ? held.flatMap((element) => [separator(), element]) : held
    held = []
    heldLength = 0
    return kept
  }

  const separator = (): Uint8Array => (elements++ === 0 ? opening : between)

  function fail(kind: RelayProblem): void {
    pending.drop()
    problem = kind
    inspector.fail(kind)
  }

  const isOver = (): boolean => problem !== undefined || inspector.isOver()
  const failure = () => problem

  function end(): Uint8Array {
    let last: Uint8Array = EMPTY
    if (pending.length > 0 && !isOver()) {
      // An upstream may forget the blank line behind its last event, or it was cut within one.
      pending.append(END_OF_EVENT)
      last = forward(pending.take())
      if (failure() === 'malformed') inspector.fail('cut')
    }
    if (failure() !== undefined) return EMPTY
    const tail = takeHeld()
    if (asArray) tail.push(codec.encode(elements === 0 ? '[]' : ']'))
    return last.length === 0 && tail.length === 0 ? EMPTY : concat([last, ...tail])
  }

  function endWith(data: string): Uint8Array {
    const kept = takeHeld()
    const last = asArray ? [separator(), codec.encode(`${data}]`)] : [codec.encode(formatSse(data))]
    return concat([...kept, ...last])
  }

  return { push, end, endWith }
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
