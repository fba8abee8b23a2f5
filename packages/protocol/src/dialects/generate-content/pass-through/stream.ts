// A generate-content stream as it passes through. Only its finish reason marks a chunk as the last, and older
// models put one on every chunk: so the latest such chunk is held back until another follows or the stream ends.

import { finishOf } from '../../../canonical/finish.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type EventAction, type EventView, openEventRelay } from '../../../framing/event-relay.ts'
import { watchList } from '../../../framing/json/json-walk.ts'
import type { ChargedUnits, Meter, MeterOptions } from '../../pass-through.ts'
import { inVendorWords } from '../../shared/errors/upstream-error.ts'
import {
  dataOf,
  isNoted,
  type MeterState,
  newMeterState,
  problemInfo,
  renameAt,
} from '../../shared/pass-through/meter.ts'
import { objectsIn } from '../../shared/pass-through/request.ts'
import { decodeError } from '../error.ts'
import { openGroundedCalls } from '../reply/grounding.ts'
import { blockedStop, stopOf } from '../reply/stop.ts'
import { decodeUsage, withReport } from '../reply/usage.ts'
import type { WireUsage } from '../wire.ts'

const OUTPUT = 1
const MODEL = 8
const USAGE = 9
const FINISH = 10
const ERROR = 11
const CALL = 12
const FEEDBACK = 13
const OTHER_OUTPUT = 14
const GROUNDING = 15

/** Depths: the chunk is 1, a candidate 3, its content 4, one of the parts 6. */
const NAMES = watchList([
  { name: 'modelVersion', code: MODEL, depths: [1] },
  { name: 'usageMetadata', code: USAGE, depths: [1] },
  { name: 'error', code: ERROR, depths: [1] },
  { name: 'promptFeedback', code: FEEDBACK, depths: [1] },
  { name: 'finishReason', code: FINISH, depths: [3] },
  { name: 'groundingMetadata', code: GROUNDING, depths: [3] },
  { name: 'text', code: OUTPUT, depths: [6] },
  { name: 'functionCall', code: CALL, depths: [6] },
  { name: 'inlineData', code: OTHER_OUTPUT, depths: [6] },
  { name: 'executableCode', code: OTHER_OUTPUT, depths: [6] },
  { name: 'code', code: OUTPUT, depths: [7] },
  // The value of arguments that come in pieces.
  { name: 'stringValue', code: OUTPUT, depths: [9] },
])
const NEEDS_PARSING = (1 << ERROR) | (1 << CALL) | (1 << FEEDBACK) | (1 << GROUNDING)
const UNSPECIFIED = 'FINISH_REASON_UNSPECIFIED'

export function openMeter({ renameTo, choices, asArray = false }: MeterOptions, codec: Codec): Meter {
  const state: MeterState = {
    ...newMeterState(),
    // Nearly every chunk reports, and each more than the last: they are only combined when the usage is read.
    get usage() {
      return decodeUsage(figures, grounded)
    },
  }
  let head: Json | undefined
  let called = false
  const grounded = openGroundedCalls()
  let figures: WireUsage = {}

  function inspect(view: EventView): EventAction {
    const { walk } = view
    renameAt(view, MODEL)
    if (head === undefined || (walk.noted & NEEDS_PARSING) !== 0) {
      const data = dataOf(view, codec)
      if (data === undefined) return fail()
      if (isObject(data.error)) {
        figures = withReport(figures, data.usageMetadata)
        state.error = inVendorWords(decodeError(200, data), data)
        return 'fail'
      }
      if (typeof data.modelVersion === 'string') grounded.model = data.modelVersion
      head ??= { responseId: data.responseId, modelVersion: renameTo ?? data.modelVersion }
      readCandidates(data)
      readFeedback(data)
    }
    const spoken = walk.textBytes[OUTPUT] ?? 0
    state.outputBytes += spoken
    const hasOutput = spoken > 0 || isNoted(view, CALL) || isNoted(view, OTHER_OUTPUT)
    if (hasOutput) state.sawOutput = true
    if (isNoted(view, USAGE)) figures = withReport(figures, noted(view, USAGE))
    const reason = isNoted(view, FINISH) ? noted(view, FINISH) : undefined
    if (typeof reason === 'string' && reason !== UNSPECIFIED) state.finish = finishOf(stopOf(reason, called, undefined))
    else if (!isNoted(view, FEEDBACK) || state.finish === undefined) return hasOutput ? 'forward' : 'beside'
    state.sawOutput = true
    return 'hold-latest'
  }

  const noted = ({ bytes, walk }: EventView, code: number): unknown =>
    parsedJson(codec.decode(bytes, walk.starts[code] ?? 0, walk.ends[code] ?? 0))

  /** Calls come whole; how long their arguments are is the only thing to know of them. */
  function readCandidates(data: Json): void {
    for (const [candidate] of objectsIn(data.candidates)) {
      grounded.add(candidate.groundingMetadata)
      const content = isObject(candidate.content) ? candidate.content : {}
      for (const [part] of objectsIn(content.parts)) {
        if (!isObject(part.functionCall)) continue
        called = true
        if (isObject(part.functionCall.args)) state.outputBytes += JSON.stringify(part.functionCall.args).length
      }
    }
  }

  /** A blocked prompt has no candidates, and nothing else follows. */
  function readFeedback(data: Json): void {
    const feedback = isObject(data.promptFeedback) ? data.promptFeedback : {}
    const raw = feedback.blockReason
    if (typeof raw === 'string' && objectsIn(data.candidates).length === 0)
      state.finish = finishOf(blockedStop(raw, undefined))
  }

  function fail(): EventAction {
    state.error = problemInfo('malformed')
    return 'fail'
  }

  const relay = openEventRelay(
    {
      watched: NAMES,
      inspect: inspect,
      // Clients of this dialect lose the whole stream over a comment or `[DONE]`.
      idle: 'drop',
      isOver: () => state.done,
      fail(problem) {
        state.error = problemInfo(problem)
      },
    },
    { renameTo, asArray },
    codec,
  )

  return {
    push: relay.push,
    end() {
      const tail = relay.end()
      if (state.error === undefined && state.finish !== undefined) state.done = true
      return tail
    },
    stop: (units) => relay.endWith(JSON.stringify(stopChunk(head ?? {}, choices, units))),
    state,
  }
}

function stopChunk(head: Json, choices: number, { input, cachedInput, cacheWrite, output }: ChargedUnits) {
  const prompt = input + cachedInput + cacheWrite
  const candidates = Array.from({ length: choices }, (_, index) => ({
    content: { role: 'model', parts: [{ text: '' }] },
    finishReason: 'MAX_TOKENS',
    index,
  }))
  const usageMetadata = {
    promptTokenCount: prompt,
    ...(cachedInput > 0 ? { cachedContentTokenCount: cachedInput } : {}),
    candidatesTokenCount: output,
    totalTokenCount: prompt + output,
  }
  return { candidates, usageMetadata, ...head }
}
