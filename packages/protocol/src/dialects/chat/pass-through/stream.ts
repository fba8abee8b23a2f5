// A chat stream as it passes through: its bytes are forwarded as they are, while counters are kept for settlement.
// Held back are only the events that must not leave before settlement, and those the client did not ask for.

import type { Finish } from '../../../canonical/finish.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { growingBytes } from '../../../framing/growing-bytes.ts'
import { newWalk, resetWalk, WALKED, walkJson } from '../../../framing/json/json-walk.ts'
import { concat, openRelay } from '../../../framing/relay.ts'
import { splice } from '../../../framing/splice.ts'
import { formatSse, openSseParser } from '../../../framing/sse.ts'
import { blankLineEnd, dataStart, EDGE_BYTES, endsEvent, eventEnd } from '../../../framing/sse-bytes.ts'
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
  kind: 'upstream' | 'malformed' | 'oversized' | 'cut'
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

const EMPTY = new Uint8Array(0)
const END_OF_EVENT = Uint8Array.of(0x0a, 0x0a)
const OPEN_BRACE = 0x7b

export function openChatMeter(options: ChatMeterOptions, codec: Codec): ChatMeter {
  const { maxEventBytes } = options
  const newName = options.renameTo === undefined ? undefined : codec.encode(JSON.stringify(options.renameTo))
  const { state, event, readPlain, readAny, fail } = openReader(options.showUsage, newName, codec)
  const relay = openRelay(codec)
  const pending = growingBytes()
  /** Events that leave after settlement. */
  let held: Uint8Array[] = []
  let heldLength = 0

  function push(chunk: Uint8Array): Uint8Array {
    if (isOver()) return EMPTY
    if (pending.length === 0) return forward(chunk)
    const isEnd = endsEvent(pending.tail(EDGE_BYTES), chunk)
    pending.append(chunk)
    if (isEnd) return forward(pending.take())
    if (pending.length > maxEventBytes) tooLarge()
    return EMPTY
  }

  function forward(bytes: Uint8Array): Uint8Array {
    relay.open(bytes)
    const length = bytes.length
    let at = 0
    while (at < length) {
      let end = readPlain(bytes, at, Math.min(length, at + maxEventBytes))
      if (end === 0) {
        end = eventEnd(bytes, at, length)
        if (end < 0) break
        if (end - at <= maxEventBytes) readAny(bytes, at, end)
      }
      if (end - at > maxEventBytes) tooLarge()
      if (event.verdict !== 'forward' || newName !== undefined || held.length > 0) dispose(bytes, at, end)
      at = end
      if (isOver()) break
    }
    if (at < length && !isOver()) {
      pending.append(bytes.subarray(at))
      if (pending.length > maxEventBytes) tooLarge()
    }
    return relay.close(at)
  }

  /** Carries out the verdict on the event from `at` to `end` where that is not simply to forward it. */
  function dispose(bytes: Uint8Array, at: number, end: number): void {
    const { verdict, modelStart, modelEnd, rewritten } = event
    const isRenamed = newName !== undefined && modelEnd > 0 && !isNamed(bytes, modelStart, modelEnd, newName)
    if (held.length > 0 && event.hasData && (verdict === 'forward' || (verdict === 'hold' && !state.done))) {
      // Something follows, so what was held was not the end.
      for (const kept of held) relay.replace(at, at, kept)
      held = []
      heldLength = 0
    }
    if (verdict === 'forward' && held.length === 0) {
      if (rewritten !== undefined) relay.replace(at, end, rewritten)
      else if (isRenamed) relay.replace(modelStart, modelEnd, newName)
      return
    }
    relay.replace(at, end, EMPTY)
    if (verdict === 'drop' || verdict === 'fail') return
    if (!event.hasData && heldLength > maxEventBytes) return
    const whole = bytes.subarray(at, end)
    const edits = isRenamed ? [{ start: modelStart - at, end: modelEnd - at, bytes: newName }] : []
    const kept = rewritten ?? (isRenamed ? splice(whole, edits, codec) : new Uint8Array(whole))
    held.push(kept)
    heldLength += kept.length
  }

  function isNamed(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
    return end - start === name.length && codec.hasAt(bytes, name, start)
  }

  /** Nothing belongs behind [DONE], so what an upstream sends there is not even looked at. */
  const isOver = (): boolean => state.done || state.error !== undefined

  function tooLarge(): void {
    pending.drop()
    fail('oversized', `The upstream sent an event of more than ${maxEventBytes} bytes`)
  }

  const failure = (): ChatStreamError | undefined => state.error

  function end(): Uint8Array {
    if (failure() !== undefined) return EMPTY
    let last: Uint8Array = EMPTY
    if (pending.length > 0) {
      // An upstream may forget the blank line behind its last event, or it was cut within one.
      pending.append(END_OF_EVENT)
      last = forward(pending.take())
      if (failure()?.kind === 'malformed') fail('cut', 'The upstream ended within an event')
    }
    const tail = failure() === undefined ? held : []
    held = []
    return last.length === 0 && tail.length === 0 ? EMPTY : concat([last, ...tail])
  }

  return { push, end, state }
}

/** What becomes of an event, and where its model name is (`modelEnd` 0: nowhere). */
type EventFacts = {
  verdict: 'forward' | 'drop' | 'hold' | 'fail'
  hasData: boolean
  modelStart: number
  modelEnd: number
  /** The renamed event, when its form did not allow to replace the name in place. */
  rewritten: Uint8Array | undefined
}

/** Longer beginnings are not worth remembering. */
const MAX_PREFIX = 2048
/** A stream whose events begin differently each time is walked in full. */
const MAX_PREFIX_MISSES = 16
/** Inside root, `choices`, the first choice and its `delta`. */
const DELTA_DEPTH = 4

/** Reads events one by one, keeps the counters in `state` and leaves its findings in `event`. */
function openReader(showUsage: boolean, newName: Uint8Array | undefined, codec: Codec) {
  const walk = newWalk()
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
  const beside: Beside = { tier: undefined, searched: false }
  const event: EventFacts = { verdict: 'forward', hasData: true, modelStart: 0, modelEnd: 0, rewritten: undefined }

  // The events of a stream begin alike up to their delta, so the beginning of the last one is compared, not walked.
  let prefix: Uint8Array = EMPTY
  let prefixModelStart = 0
  let prefixModelEnd = 0
  let prefixMisses = 0

  /** Reads an event that is one line of JSON data. Returns its end, or 0 when it is anything else or not complete. */
  function readPlain(bytes: Uint8Array, at: number, to: number): number {
    resetWalk(walk)
    const isKnown = prefix.length > 0 && codec.hasAt(bytes, prefix, at)
    const start = isKnown ? at + prefix.length : dataStart(bytes, at)
    if (isKnown) {
      walk.noted = 1 << CHOICES
      walk.pivots = 1
    } else if (bytes[start] !== OPEN_BRACE) return 0
    if (walkJson(bytes, start, to, isKnown ? DELTA_DEPTH : 0, CHAT_NAMES, DELTA, walk) !== WALKED) return 0
    const end = blankLineEnd(bytes, walk.end)
    if (end === 0) return 0

    const isOrdinary = (walk.noted & ((1 << CHOICES) | (1 << ERROR))) === 1 << CHOICES && state.events > 0
    event.verdict = isOrdinary ? 'forward' : judge(parse(bytes, dataStart(bytes, at), walk.end, codec))
    event.hasData = true
    event.rewritten = undefined
    if (event.verdict === 'fail') return end
    absorb(bytes)
    if (newName !== undefined) findModel(at, isKnown && prefixModelEnd > 0)
    if (isKnown) prefixMisses = 0
    else if (isOrdinary && prefixMisses < MAX_PREFIX_MISSES) learnPrefix(bytes, at)
    return end
  }

  /** Reads a complete event of any other form: comments, several lines, other line ends, `[DONE]`, broken data. */
  function readAny(bytes: Uint8Array, at: number, end: number): void {
    const [read] = openSseParser(Number.POSITIVE_INFINITY).push(codec.decode(bytes, at, end))
    const name = read?.event
    const text = read?.data.trim() ?? ''
    event.hasData = text !== ''
    event.rewritten = undefined
    event.modelStart = 0
    event.modelEnd = 0
    event.verdict = verdictOn(name, text)
    if (!event.hasData || event.verdict === 'fail' || text === DONE) return
    const json = codec.encode(text)
    resetWalk(walk)
    walkJson(json, 0, json.length, 0, CHAT_NAMES, DELTA, walk)
    absorb(json)
    if (newName === undefined || (walk.noted & (1 << MODEL)) === 0) return
    const model = { start: walk.starts[MODEL] ?? 0, end: walk.ends[MODEL] ?? 0, bytes: newName }
    const renamed = splice(json, [model], codec)
    event.rewritten = codec.encode(formatSse(codec.decode(renamed, 0, renamed.length), name))
  }

  function verdictOn(name: string | undefined, text: string): EventFacts['verdict'] {
    if (text === '') return 'forward'
    if (text === DONE) {
      state.done = true
      return 'hold'
    }
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch {
      return fail('malformed', 'The upstream sent an event that is not JSON')
    }
    if (name === 'error') return fail('upstream', errorMessage(body) ?? 'The upstream reported an error', body)
    return judge(body)
  }

  function judge(body: unknown): EventFacts['verdict'] {
    if (!isObject(body)) return fail('malformed', 'The upstream sent an event that is not a JSON object')
    if ((body.error !== undefined && body.error !== null) || body.object === 'error')
      return fail('upstream', errorMessage(body) ?? 'The upstream reported an error', body)
    // Seen on the first event and on the one with usage: those in between are not parsed, and say the same.
    beside.tier = body.service_tier ?? beside.tier
    const hasChoices = Array.isArray(body.choices) && body.choices.length > 0
    if (hasChoices || !isObject(body.usage)) return 'forward'
    return showUsage ? 'hold' : 'drop'
  }

  function fail(kind: ChatStreamError['kind'], message: string, body?: unknown): 'fail' {
    state.error = { kind, message, body }
    event.verdict = 'fail'
    return 'fail'
  }

  /** Adds what the walk over one event's data found. */
  function absorb(bytes: Uint8Array): void {
    state.events++
    if (walk.pivots > 1) state.severalChoices++
    const output = outputBytes(walk)
    state.outputBytes += output
    if (output > 0 || (walk.noted & (1 << OTHER_OUTPUT)) !== 0) state.sawOutput = true
    if ((walk.noted & (1 << FINISH_REASON)) !== 0) {
      state.finish = finishAt(bytes, walk, codec) ?? state.finish
      state.sawOutput = true
    }
    if ((walk.noted & (1 << CITED)) !== 0) beside.searched = true
    if ((walk.noted & (1 << USAGE)) === 0) return
    const reported = parse(bytes, walk.starts[USAGE] ?? 0, walk.ends[USAGE] ?? 0, codec)
    state.usage = decodeUsage(reported, beside) ?? state.usage
  }

  function findModel(at: number, isInPrefix: boolean): void {
    const isInWalk = (walk.noted & (1 << MODEL)) !== 0
    event.modelStart = isInPrefix ? at + prefixModelStart : isInWalk ? (walk.starts[MODEL] ?? 0) : 0
    event.modelEnd = isInPrefix ? at + prefixModelEnd : isInWalk ? (walk.ends[MODEL] ?? 0) : 0
  }

  /** Remembers the beginning of an ordinary event, if nothing in it has to be looked at again. */
  function learnPrefix(bytes: Uint8Array, at: number): void {
    prefixMisses++
    const end = walk.pivotEnd
    if (walk.pivots !== 1 || end === 0 || end - at > MAX_PREFIX) return
    resetWalk(walk)
    walkJson(bytes, dataStart(bytes, at), end, 0, CHAT_NAMES, DELTA, walk)
    const harmless = (1 << CHOICES) | (1 << MODEL) | (1 << DELTA) | (1 << CITED)
    if (outputBytes(walk) > 0 || (walk.noted & ~harmless) !== 0) return
    const hasModel = (walk.noted & (1 << MODEL)) !== 0
    // Not `slice`, which a runtime's own buffers answer with a view: the bytes belong to the caller and may change.
    prefix = new Uint8Array(bytes.subarray(at, end))
    prefixModelStart = hasModel ? (walk.starts[MODEL] ?? 0) - at : 0
    prefixModelEnd = hasModel ? (walk.ends[MODEL] ?? 0) - at : 0
  }

  return { state, event, readPlain, readAny, fail }
}

const DONE = '[DONE]'
