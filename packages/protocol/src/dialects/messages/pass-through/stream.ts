// A messages stream as it passes through. Held back until the settlement stands: the `message_delta` that tells why the
// answer ended, and `message_stop`.

import { finishOf } from '../../../canonical/finish.ts'
import { isObject, type Json } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type EventAction, type EventView, openEventRelay } from '../../../framing/event-relay.ts'
import { watchList } from '../../../framing/json/json-walk.ts'
import { concat } from '../../../framing/relay.ts'
import { formatSse } from '../../../framing/sse.ts'
import type { ChargedUnits, Meter, MeterOptions } from '../../pass-through.ts'
import { inVendorWords } from '../../shared/errors/upstream-error.ts'
import { dataOf, newMeterState, openTypeReader, problemInfo, renameAt } from '../../shared/pass-through/meter.ts'
import { decodeError } from '../error.ts'
import { decodeStop } from '../reply/stop.ts'
import { decodeFigures, type Figures, mergeFigures, NO_FIGURES, startFigures, usageFrom } from '../reply/usage.ts'
import type { WireUsage } from '../wire.ts'

const OUTPUT = 1
const TYPE = 8
const MODEL = 9

const NAMES = watchList([
  { name: 'type', code: TYPE, depths: [1] },
  // The text of a delta, or of a block that begins with something in it.
  { name: 'text', code: OUTPUT, depths: [2] },
  { name: 'thinking', code: OUTPUT, depths: [2] },
  { name: 'partial_json', code: OUTPUT, depths: [2] },
  { name: 'model', code: MODEL, depths: [2] },
])

export function openMeter({ renameTo, quirks }: MeterOptions, codec: Codec): Meter {
  const state = newMeterState()
  const typeOf = openTypeReader(TYPE, codec)
  const openBlocks = new Set<number>()
  let figures: Figures = NO_FIGURES

  function inspect(view: EventView): EventAction {
    const spoken = view.walk.textBytes[OUTPUT] ?? 0
    if (spoken > 0) {
      state.outputBytes += spoken
      state.sawOutput = true
    }
    const type = typeOf(view)
    if (type === 'content_block_delta') return 'forward'
    if (type === 'ping') return 'beside'
    const data = dataOf(view, codec)
    return data === undefined ? malformed() : inspectRare(type, data, view)
  }

  function inspectRare(type: string, data: Json, view: EventView): EventAction {
    switch (type) {
      case 'message_start': {
        const message = isObject(data.message) ? data.message : {}
        beginUsage(message)
        renameAt(view, MODEL)
        return 'forward'
      }
      case 'content_block_start':
        beginBlock(data)
        return 'forward'
      case 'content_block_stop':
        openBlocks.delete(Number(data.index))
        return 'forward'
      case 'message_delta': {
        const delta = isObject(data.delta) ? data.delta : {}
        addUsage(isObject(data.usage) ? data.usage : {}, delta)
        const stop = decodeStop(delta)
        if (stop === undefined) return 'beside'
        state.finish = finishOf(stop)
        state.sawOutput = true
        return 'hold'
      }
      case 'message_stop':
        state.done = true
        return 'hold'
      default:
        if (type !== 'error' && !isObject(data.error)) return 'beside'
        state.error = inVendorWords(decodeError(200, data), data)
        return 'fail'
    }
  }

  function beginBlock({ index, content_block: block }: Json): void {
    openBlocks.add(Number(index))
    if (!isObject(block) || block.type === 'text' || block.type === 'thinking') return
    state.sawOutput = true
    // Calls of some services come whole, without deltas.
    if (isObject(block.input) && Object.keys(block.input).length > 0)
      state.outputBytes += JSON.stringify(block.input).length
  }

  /** The output that is told here was told before there was any: until the end tells it again, it is not known. */
  function beginUsage(message: Json): void {
    if (!isObject(message.usage)) return
    figures = mergeFigures(figures, startFigures(message, quirks))
    state.usage = usageFrom({ ...figures, output: undefined, thinking: undefined })
  }

  function addUsage(usage: Json, delta: Json): void {
    figures = mergeFigures(figures, decodeFigures(usage as WireUsage, delta))
    state.usage = usageFrom(figures)
  }

  function malformed(): EventAction {
    state.error = problemInfo('malformed')
    return 'fail'
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
    { renameTo },
    codec,
  )

  return {
    push: relay.push,
    end() {
      const tail = relay.end()
      if (state.error !== undefined || state.finish === undefined || state.done) return tail
      // Without it clients throw the whole answer away.
      state.done = true
      return concat([tail, codec.encode(STOP)])
    },
    stop: (units) => codec.encode(stopFrames([...openBlocks], units)),
    state,
  }
}

const STOP = frame({ type: 'message_stop' })

function frame(data: { type: string; [field: string]: unknown }): string {
  return formatSse(JSON.stringify(data), data.type)
}

function stopFrames(openBlocks: readonly number[], { input, cachedInput, cacheWrite, output }: ChargedUnits): string {
  const usage = {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cachedInput,
    output_tokens: output,
  }
  const closed = openBlocks.map((index) => frame({ type: 'content_block_stop', index }))
  const reason = { stop_reason: 'max_tokens', stop_sequence: null, stop_details: null }
  return closed.join('') + frame({ type: 'message_delta', delta: reason, usage }) + STOP
}
