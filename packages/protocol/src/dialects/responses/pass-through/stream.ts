// A responses stream as it passes through. Held back until the settlement stands: the event that repeats the whole answer.

import { finishOf } from '../../../canonical/finish.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import { mergeUsage } from '../../../canonical/usage.ts'
import { utf8Length } from '../../../canonical/utf8.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type EventAction, type EventView, openEventRelay } from '../../../framing/event-relay.ts'
import { fieldNamed, scanObject } from '../../../framing/json/json-scan.ts'
import { textLength, watchList } from '../../../framing/json/json-walk.ts'
import type { Splice } from '../../../framing/splice.ts'
import type { EchoedField, Meter, MeterOptions } from '../../pass-through.ts'
import { inVendorWords } from '../../shared/errors/upstream-error.ts'
import {
  dataOf,
  isNoted,
  newMeterState,
  openTypeReader,
  problemInfo,
  renameAt,
} from '../../shared/pass-through/meter.ts'
import { objectsIn } from '../../shared/pass-through/request.ts'
import { decodeError } from '../error.ts'
import { decodeStop, listOf } from '../reply/decode-details.ts'
import { decodeUsage, openHostedCalls } from '../reply/usage.ts'
import { CUT_OFF, cutOffFrames, isCutOff } from './cut-off.ts'
import { openSnapshot } from './snapshot.ts'

/** Images travel inside events of this dialect. */
const MAX_IMAGE_EVENT_BYTES = 24 * 1024 * 1024

const TYPE = 8
const DELTA = 9
const MODEL = 10
const USER = 11
const SAFETY_IDENTIFIER = 12

const NAMES = watchList([
  { name: 'type', code: TYPE, depths: [1] },
  { name: 'delta', code: DELTA, depths: [1] },
  { name: 'model', code: MODEL, depths: [2] },
  { name: 'user', code: USER, depths: [2] },
  { name: 'safety_identifier', code: SAFETY_IDENTIFIER, depths: [2] },
])

/** Events that begin or end something. All others are only counted and passed on. */
const LIFECYCLE: ReadonlySet<string> = new Set([
  'response.created',
  'response.queued',
  'response.in_progress',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'response.done',
])
const TERMINAL: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.done'])
const PIECES: ReadonlySet<string> = new Set([
  'response.output_item.added',
  'response.output_item.done',
  'response.content_part.added',
  'response.content_part.done',
  'response.reasoning_summary_part.added',
  'response.reasoning_summary_part.done',
])
const FAILURES: ReadonlySet<string> = new Set(['error', 'response.failed', 'response.error', 'response.cancelled'])
/** Base64, not text. */
const AUDIO = 'response.audio.delta'

export function openMeter({ renameTo, echo = [], quirks }: MeterOptions, codec: Codec): Meter {
  const state = newMeterState()
  const typeOf = openTypeReader(TYPE, codec)
  const snapshot = openSnapshot(codec, renameTo, echo)
  const seen = { inCall: false, inRefusal: false }
  const calls = openHostedCalls()
  /** The number of the next event. */
  let sequence = 0
  let spokenInItem = 0

  function inspect(view: EventView): EventAction {
    sequence++
    const type = typeOf(view)
    if (isNoted(view, DELTA) && type !== AUDIO) {
      const start = view.walk.starts[DELTA] ?? 0
      const end = view.walk.ends[DELTA] ?? 0
      const spoken = textLength(view.bytes, start, end)
      state.outputBytes += spoken
      spokenInItem += spoken
      state.sawOutput = true
      if (type === 'response.refusal.delta') seen.inRefusal = true
      snapshot.append(type, view.bytes, start, end, () => Number(dataOf(view, codec)?.output_index))
      return 'forward'
    }
    const isLifecycle = LIFECYCLE.has(type)
    if (!isLifecycle && !PIECES.has(type) && !FAILURES.has(type) && type !== '') return 'forward'
    const data = dataOf(view, codec)
    if (data === undefined) {
      state.error = problemInfo('malformed')
      return 'fail'
    }
    if (typeof data.sequence_number === 'number') sequence = data.sequence_number + 1
    if (isLifecycle) {
      renameAt(view, MODEL)
      if (echo.length > 0) view.replaced = echoedIn(view, echo, codec)
    }
    snapshot.note(type, data, view.end - view.start)
    return inspectRare(type, data)
  }

  function inspectRare(type: string, data: Json): EventAction {
    const response = isObject(data.response) ? data.response : {}
    if (isObject(response.usage) || TERMINAL.has(type)) readFigures(response)
    const hasFailed = response.status === 'failed' || response.status === 'cancelled'
    if (FAILURES.has(type) || hasFailed || (type === '' && isObject(data.error))) {
      state.error = inVendorWords(decodeError(200, data), data)
      return 'fail'
    }
    if (isObject(data.item)) readItem(type, data.item)
    if (type === 'response.output_item.done' && isObject(data.item) && calls.add(data.item, Number(data.output_index)))
      readFigures({})
    if (!TERMINAL.has(type)) return 'forward'
    for (const [item] of objectsIn(response.output)) noteItem(item)
    const status = type === 'response.incomplete' ? { status: 'incomplete' } : {}
    state.finish = finishOf(decodeStop({ ...response, ...status }, seen))
    if (isCutOff(state.finish, state.usage, quirks)) state.finish = CUT_OFF
    state.sawOutput = true
    state.done = true
    return 'hold'
  }

  /** Also where only calls of hosted tools are known yet: they are billed, whatever becomes of the answer. */
  function readFigures(response: Json): void {
    calls.replace(listOf(response.output))
    const usage = decodeUsage(response, calls)
    if (usage !== undefined) state.usage = mergeUsage(state.usage, usage)
  }

  function readItem(type: string, item: Json): void {
    noteItem(item)
    if (type === 'response.output_item.added') {
      spokenInItem = 0
      if (item.type !== 'message' && item.type !== 'reasoning') state.sawOutput = true
      return
    }
    state.sawOutput = true
    // Some services send items whole, without deltas.
    if (spokenInItem === 0) state.outputBytes += itemBytes(item)
    spokenInItem = 0
  }

  function noteItem(item: Json): void {
    if (item.type === 'function_call' || item.type === 'custom_tool_call') seen.inCall = true
    if (objectsIn(item.content).some(([part]) => part.type === 'refusal')) seen.inRefusal = true
  }

  const relay = openEventRelay(
    {
      watched: NAMES,
      inspect: inspect,
      idle: 'beside',
      isOver: () => state.done,
      fail(problem) {
        state.error = problemInfo(problem)
      },
    },
    { renameTo, limit: MAX_IMAGE_EVENT_BYTES },
    codec,
  )

  return {
    push: relay.push,
    end: () => (quirks?.cap !== undefined && state.finish === CUT_OFF ? cutOff(relay.end(), codec) : relay.end()),
    stop: (units) => codec.encode(snapshot.incomplete(units, sequence)),
    abandon: (error, requestId) => codec.encode(snapshot.failed(error, requestId, sequence)),
    state,
  }
}

const cutOff = (frames: Uint8Array, codec: Codec): Uint8Array =>
  codec.encode(cutOffFrames(codec.decode(frames, 0, frames.length)))

/** Where the answer repeats a field of the request, the client's own value stands in it. */
function echoedIn(view: EventView, echo: readonly EchoedField[], codec: Codec): readonly Splice[] {
  const { bytes, walk } = view
  const found = echo.flatMap(({ name, json }) => {
    const code = ECHOED[name]
    if (code === undefined || (walk.noted & (1 << code)) === 0) return []
    const [start, end] = [walk.starts[code] ?? 0, walk.ends[code] ?? 0]
    return bytes[start] === QUOTE ? [{ start, end, bytes: codec.encode(json) }] : []
  })
  const always = echo.filter((field) => field.always)
  if (always.length > 0) found.push(...setInResponse(view, always, codec))
  return found.sort((one, other) => one.start - other.start)
}

const QUOTE = 0x22
const ECHOED: Readonly<Record<string, number>> = { user: USER, safety_identifier: SAFETY_IDENTIFIER }

/** Whatever the upstream has there, or if it has nothing there. */
function setInResponse({ bytes, start, end }: EventView, set: readonly EchoedField[], codec: Codec): Splice[] {
  const event = scanObject(bytes.subarray(start, end), codec)
  const response = event.ok ? fieldNamed(event.fields, 'response') : undefined
  if (response?.kind !== 'object') return []
  const from = start + response.start
  const scan = scanObject(bytes.subarray(from, start + response.end), codec)
  if (!scan.ok) return []
  return set.map(({ name, json }) => {
    const field = fieldNamed(scan.fields, name)
    if (field) return { start: from + field.start, end: from + field.end, bytes: codec.encode(json) }
    const comma = scan.fields.length > 0 ? ',' : ''
    return { start: from + 1, end: from + 1, bytes: codec.encode(`${JSON.stringify(name)}:${json}${comma}`) }
  })
}

function itemBytes(item: Json): number {
  const texts = [item.arguments, item.input]
  for (const list of [item.content, item.summary])
    for (const [part] of objectsIn(list)) texts.push(part.text, part.refusal)
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? utf8Length(text) : 0), 0)
}
