// Turns the events of a stream, or the pieces of a single body, into steps: pace, framing, and delivery faults.

import type { DecodedRequest, SandboxDialect, StreamEvent } from '../dialects/dialect.ts'
import type { SandboxErrorInfo } from '../request/errors.ts'
import type { Bytes, Step } from './body.ts'
import { type Faults, type NumberFault, numberOf } from './faults.ts'

const encoder = new TextEncoder()
const EVENTS_BEFORE = 2
const BYTES_BEFORE = 40
/** A destroyed socket drops unsent bytes: a pause before a cut lets them leave. */
const FLUSH_MS = 20
const SPLIT_MS = 2
const MEBIBYTE = 1024 * 1024
const FILLER = encoder.encode('x'.repeat(64 * 1024))

type Trouble = Extract<NumberFault, 'cut' | 'end' | 'stall' | 'garbage' | 'error-event'>
const TROUBLES: readonly Trouble[] = ['cut', 'end', 'stall', 'garbage', 'error-event']

const TROUBLE: SandboxErrorInfo = {
  status: 500,
  message: '[sandbox] Injected fault: error-event.',
}

export type Streamed = {
  events: Iterable<StreamEvent>
  delivery: Exclude<DecodedRequest['delivery'], 'single'>
  paceMs: number
}

export function streamSteps(dialect: SandboxDialect, streamed: Streamed, faults: Faults): Generator<Step> {
  return byteFaults(eventSteps(dialect, streamed, faults), faults)
}

export function singleSteps(dialect: SandboxDialect, pieces: Iterable<string>, faults: Faults): Generator<Step> {
  return byteFaults(pieceSteps(dialect, pieces, faults), faults)
}

function* eventSteps(dialect: SandboxDialect, streamed: Streamed, faults: Faults): Generator<Step> {
  const { events, delivery, paceMs } = streamed
  const framing = delivery === 'sse' ? sseFraming(faults) : ARRAY
  const frame = ({ event, data }: StreamEvent, first: boolean) =>
    write(`${framing.before(event, first)}${data}${framing.after}`)
  let sent = 0
  for (const event of events) {
    for (const trouble of TROUBLES) {
      if (numberOf(faults, trouble, EVENTS_BEFORE) !== sent) continue
      if (trouble === 'garbage') yield frame(dialect.garbage, sent === 0)
      else if (trouble !== 'error-event') return yield* ending(trouble, '')
      else {
        yield frame(dialect.errorEvent(TROUBLE, sent), sent === 0)
        return yield* closing(framing)
      }
    }
    if (sent > 0 && paceMs > 0) yield { type: 'wait', ms: paceMs }
    yield frame(event, sent === 0)
    sent++
    if (sent === 1) yield* hugeLine(dialect, framing, faults)
  }
  yield* closing(framing)
}

function* closing({ end }: Framing): Generator<Step> {
  if (end !== '') yield write(end)
}

/** A single body: N counts bytes, and garbage or an error replaces the rest. */
function* pieceSteps(dialect: SandboxDialect, pieces: Iterable<string>, faults: Faults): Generator<Step> {
  const trouble = TROUBLES.find((name) => faults.numbers[name] !== undefined)
  if (trouble === 'error-event') return yield write(JSON.stringify(dialect.errorBody(TROUBLE)))
  let left = trouble === undefined ? Number.POSITIVE_INFINITY : (numberOf(faults, trouble, BYTES_BEFORE) ?? 0)
  yield* hugeField(faults)
  let first = faults.numbers['huge-line'] !== undefined
  for (const piece of pieces) {
    const bytes = encoder.encode(first ? piece.slice(1) : piece)
    first = false
    if (trouble !== undefined && bytes.length >= left) {
      if (left > 0) yield { type: 'write', bytes: bytes.slice(0, left) }
      return yield* ending(trouble, '<<< not JSON')
    }
    left -= bytes.length
    yield { type: 'write', bytes }
  }
}

function* ending(trouble: Trouble, text: string): Generator<Step> {
  if (trouble === 'garbage') yield write(text)
  if (trouble === 'stall') yield { type: 'stall' }
  if (trouble === 'cut') {
    yield { type: 'wait', ms: FLUSH_MS }
    yield { type: 'cut' }
  }
}

/** The framing of an event. */
type Framing = { before(event: string | undefined, first: boolean): string; after: string; end: string }

function sseFraming({ flags }: Faults): Framing {
  const line = flags.has('crlf') ? '\r\n' : '\n'
  const [eventField, dataField] = flags.has('no-space') ? ['event:', 'data:'] : ['event: ', 'data: ']
  const comment = flags.has('comments') ? `: keep-alive${line}${line}` : ''
  return {
    before: (event) => `${comment}${event === undefined ? '' : `${eventField}${event}${line}`}${dataField}`,
    after: `${line}${line}`,
    end: '',
  }
}

const ARRAY: Framing = { before: (_, first) => (first ? '[' : ',\r\n'), after: '', end: ']' }

/** The filler is one small buffer, written repeatedly. */
function* hugeLine({ huge }: SandboxDialect, framing: Framing, faults: Faults): Generator<Step> {
  const mebibytes = numberOf(faults, 'huge-line', 0)
  if (mebibytes === undefined) return
  yield write(`${framing.before(huge.event, false)}${huge.before}`)
  yield* filler(mebibytes)
  yield write(`${huge.after}${framing.after}`)
}

function* hugeField(faults: Faults): Generator<Step> {
  const mebibytes = numberOf(faults, 'huge-line', 0)
  if (mebibytes === undefined) return
  yield write('{"padding":"')
  yield* filler(mebibytes)
  yield write('",')
}

function* filler(mebibytes: number): Generator<Step> {
  for (let left = (mebibytes * MEBIBYTE) / FILLER.length; left > 0; left--) yield { type: 'write', bytes: FILLER }
}

function* byteFaults(steps: Iterable<Step>, faults: Faults): Generator<Step> {
  const dripMs = numberOf(faults, 'drip', 1)
  const split = faults.flags.has('split-utf8')
  for (const step of steps) {
    if (step.type !== 'write' || (dripMs === undefined && !split)) yield step
    else if (dripMs !== undefined) yield* writeApart(step.bytes, () => true, dripMs)
    else yield* writeApart(step.bytes, (byte) => byte >= 0x80 && byte < 0xc0, SPLIT_MS)
  }
}

/** Separate writes, split before each byte that the rule selects; before a continuation byte is inside a character. */
function* writeApart(bytes: Bytes, cutBefore: (byte: number) => boolean, ms: number): Generator<Step> {
  let begin = 0
  for (let index = 1; index <= bytes.length; index++) {
    const byte = bytes[index]
    if (byte !== undefined && !cutBefore(byte)) continue
    yield { type: 'write', bytes: bytes.slice(begin, index) }
    begin = index
    if (ms > 0) yield { type: 'wait', ms }
  }
}

function write(text: string): Step {
  return { type: 'write', bytes: encoder.encode(text) }
}
