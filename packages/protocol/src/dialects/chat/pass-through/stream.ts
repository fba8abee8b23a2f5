// Meters a chat stream that is passed through: the relay forwards its bytes unchanged, while counters are kept for settlement.
// Only events that must not leave before settlement are held, and those that the client did not ask for are dropped.

import type { Finish } from '../../../canonical/finish.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type EventAction, type EventView, openEventRelay, type RelayProblem } from '../../../framing/event-relay.ts'
import { dataOf, isNoted, problemInfo, renameAt } from '../../shared/pass-through/meter.ts'
import { type Beside, decodeUsage } from '../reply/usage.ts'
import {
  CHAT_NAMES,
  CHOICES,
  CITED,
  DELTA,
  ERROR,
  errorMessage,
  FINISH_REASON,
  finishAt,
  isObject,
  MODEL,
  OTHER_OUTPUT,
  outputBytes,
  parse,
  USAGE,
} from './reply.ts'

export type ChatMeterOptions = {
  /** The client asked for the usage chunk. */
  showUsage: boolean
  /** The model name that the client knows, where the upstream's differs. */
  renameTo?: string
  maxEventBytes: number
}

export type ChatStreamError = {
  /** An error event of the upstream, data that is not JSON, an event above the limit, or an end within an event. */
  kind: 'upstream' | RelayProblem
  message: string
  /** The parsed error event. */
  body: unknown
}

export type ChatMeterState = {
  /** Bytes of text, reasoning, refusal and tool arguments so far. */
  outputBytes: number
  /** Something that the model produced has been seen: text, a tool call or its end. */
  sawOutput: boolean
  finish: Finish | undefined
  /** The last usage reported. */
  usage: Usage | undefined
  /** `[DONE]` has been seen. */
  done: boolean
  /** From here on nothing is forwarded any more. */
  error: ChatStreamError | undefined
  /** Events with data, `[DONE]` not counted. */
  events: number
  /** Events that carry more than one choice. */
  severalChoices: number
}

export type ChatMeter = {
  /** Takes bytes from the upstream and gives those to forward now: often the same array, sometimes none. */
  push(chunk: Uint8Array): Uint8Array
  /** To be called when the upstream has ended or `done` is set: gives the tail, which leaves after settlement. */
  end(): Uint8Array
  readonly state: Readonly<ChatMeterState>
}

const ORDINARY = (1 << CHOICES) | (1 << ERROR)
/** Inside root, `choices`, the first choice and its `delta`. */
const DELTA_DEPTH = 4
const HARMLESS = (1 << CHOICES) | (1 << MODEL) | (1 << DELTA) | (1 << CITED)

export function openChatMeter(options: ChatMeterOptions, codec: Codec): ChatMeter {
  const { showUsage, renameTo, maxEventBytes } = options
  const beside: Beside = { tier: undefined, searched: false }
  const state: ChatMeterState = {
    outputBytes: 0,
    sawOutput: false,
    finish: undefined,
    usage: undefined,
    done: false,
    error: undefined,
    events: 0,
    severalChoices: 0,
  }

  function inspect(view: EventView): EventAction {
    const isNamed = view.nameEnd > view.nameStart
    // The first event is parsed for what stands beside its choices; those behind it say the same.
    const isOrdinary = (view.walk.noted & ORDINARY) === 1 << CHOICES && state.events > 0 && !isNamed
    const action = isOrdinary ? 'forward' : inspectData(view)
    if (action === 'fail') return action
    absorb(view)
    renameAt(view, MODEL)
    return action
  }

  function inspectData(view: EventView): EventAction {
    const body = dataOf(view, codec)
    if (body === undefined) return fail('malformed', problemInfo('malformed').message)
    const isError = codec.decode(view.nameBytes, view.nameStart, view.nameEnd) === 'error'
    if (isError || (body.error !== undefined && body.error !== null) || body.object === 'error')
      return fail('upstream', errorMessage(body) ?? 'The upstream reported an error', body)
    // Seen on the first event and on the one with usage: those in between are not parsed, and say the same.
    beside.tier = body.service_tier ?? beside.tier
    const hasChoices = Array.isArray(body.choices) && body.choices.length > 0
    if (hasChoices || !isObject(body.usage)) return 'forward'
    return showUsage ? 'hold-latest' : 'drop'
  }

  function fail(kind: ChatStreamError['kind'], message: string, body?: unknown): 'fail' {
    state.error = { kind, message, body }
    return 'fail'
  }

  /** Adds what the walk over one event's data found. */
  function absorb(view: EventView): void {
    const { walk, bytes } = view
    state.events++
    if (walk.pivots > 1) state.severalChoices++
    const output = outputBytes(walk)
    state.outputBytes += output
    if (output > 0 || isNoted(view, OTHER_OUTPUT)) state.sawOutput = true
    if (isNoted(view, FINISH_REASON)) {
      state.finish = finishAt(bytes, walk, codec) ?? state.finish
      state.sawOutput = true
    }
    if (isNoted(view, CITED)) beside.searched = true
    if (!isNoted(view, USAGE)) return
    const reported = parse(bytes, walk.starts[USAGE] ?? 0, walk.ends[USAGE] ?? 0, codec)
    state.usage = decodeUsage(reported, beside) ?? state.usage
  }

  const relay = openEventRelay(
    {
      watched: CHAT_NAMES,
      prefix: { pivot: DELTA, depth: DELTA_DEPTH, harmless: HARMLESS },
      inspect,
      idle: 'beside',
      done() {
        state.done = true
      },
      // Nothing belongs behind [DONE], so what an upstream sends there is not even looked at.
      isOver: () => state.done || state.error !== undefined,
      fail: (problem) => void fail(problem, problemInfo(problem).message),
    },
    { renameTo, limit: maxEventBytes },
    codec,
  )
  return { push: relay.push, end: relay.end, state }
}
