// An upstream's stream as canonical events. What counts is what the bytes mean, not in which order a service sends
// them: the rules are written at the top of canonical/event.ts.

import type { ErrorInfo } from '../../../canonical/error.ts'
import type { Emit } from '../../../canonical/event.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import { unfold } from '../../../canonical/reply.ts'
import type { Citation } from '../../../canonical/request.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { MAX_EVENT_BYTES, openEventReader } from '../../../framing/event-reader.ts'
import { growingBytes } from '../../../framing/growing-bytes.ts'
import type { SseEvent } from '../../../framing/sse.ts'
import type { StreamDecoder } from '../../text-dialect.ts'
import { decodeError } from '../error.ts'
import { decodeAnnotations, decodeLogprobs, decodeSources } from './citations.ts'
import { openStreamChoice, type StreamChoice } from './decode-choice.ts'
import { choiceIndex, decodeReply, failedChoice, imagesOf, isErrorBody, unspoken } from './decode-reply.ts'
import { reasoningText, saidParts } from './decode-text.ts'
import { openShapes } from './delta-shape.ts'
import { finishWord } from './stop.ts'
import { type Beside, namesPages, usageOfBody } from './usage.ts'

const DONE = '[DONE]'
const OPEN_BRACE = 0x7b

const failure = (message: string): ErrorInfo => ({ code: 'upstream_error', message })
const MALFORMED = failure('The upstream sent an event that is not valid.')
const OVERSIZED = failure('The upstream sent an event that is too large.')
const CUT = failure('The upstream ended before its answer was complete.')
const EMPTY = failure('The upstream ended without an answer.')

export function openStreamDecoder(emit: Emit, codec: Codec): StreamDecoder {
  const choices = new Map<number, StreamChoice>()
  const omitted = new Set<string>()
  const shapes = openShapes()
  const reader = openEventReader(takeEvent, codec)
  /** A service that does not stream, or does not for this request, answers with one JSON body. */
  const whole = growingBytes()
  let form: 'unknown' | 'events' | 'whole' = 'unknown'
  let isStarted = false
  let isOver = false
  let replyId: string | undefined
  let usage: Usage | undefined
  let beside: Beside = { tier: undefined, searched: false }
  /** The usage came on its own, behind the choices: nothing but `[DONE]` follows it. */
  let sawLastUsage = false
  let sources: readonly Citation[] = []
  let sawAnnotations = false
  let nextIndex = 0

  const answer = {
    emit,
    nextIndex: () => nextIndex++,
    replyId: () => replyId,
    omit: (what: string) => void omitted.add(what),
  }

  function choiceAt(index: number): StreamChoice {
    const known = choices.get(index)
    if (known !== undefined) return known
    const opened = openStreamChoice(index, answer)
    choices.set(index, opened)
    return opened
  }

  function fail(error: ErrorInfo): void {
    if (isOver) return
    isOver = true
    if (usage !== undefined) emit({ type: 'usage', usage })
    emit({ type: 'error', error })
  }

  function takeEvent({ data, event }: SseEvent): void {
    if (isOver) return
    if (event !== 'error' && shapes.read(data)) {
      const { kind, choice, text } = shapes.found
      sawLastUsage = false
      choiceAt(choice).say(kind, text)
      return
    }
    const text = data.trim()
    if (text === '') return
    if (text === DONE) {
      finish()
      return
    }
    const body = parsedJson(text)
    if (event === 'error' || isErrorBody(body)) {
      if (isObject(body)) usage = usageOfBody(body, beside) ?? usage
      fail(decodeError(200, body ?? text))
    } else if (isObject(body)) takeChunk(body, data)
    else fail(MALFORMED)
  }

  function takeChunk(body: Json, data: string): void {
    const said = usageOfBody(body, beside)
    beside = { tier: body.service_tier ?? beside.tier, searched: beside.searched || namesPages(body) }
    const list: readonly unknown[] = Array.isArray(body.choices) ? body.choices : []
    const failed = failedChoice(list)
    if (failed !== undefined) {
      usage = said ?? usage
      fail(decodeError(200, { ...failed, usage: body.usage }))
      return
    }
    // Some services begin with a chunk about the prompt alone.
    if (!isStarted && list.length === 0 && said === undefined) return
    usage = said ?? usage
    if (!isStarted) {
      isStarted = true
      replyId = finishWord(body.id)
      emit({ type: 'start', id: replyId, usage })
    }
    sawLastUsage = list.length === 0 && said !== undefined && choices.size > 0
    for (const [position, choice] of list.entries()) {
      if (isObject(choice)) takeChoice(choiceAt(choiceIndex(choice, position)), choice)
    }
    const named = decodeSources(body)
    if (named.length > 0) sources = named
    shapes.learn(data, body)
  }

  function takeChoice(choice: StreamChoice, said: Json): void {
    choice.finished(finishWord(said.finish_reason))
    const delta = deltaOf(choice, said)
    if (delta === undefined) return
    const reasoning = reasoningText(delta)
    if (reasoning !== '') choice.say('reasoning', reasoning)
    const { content, refusal, tool_calls, function_call } = delta
    if (typeof content === 'string') {
      if (content !== '') choice.say('text', content)
    } else if (Array.isArray(content)) takeParts(choice, content)
    takeAccompanying(choice, said, delta)
    if (typeof refusal === 'string' && refusal !== '') choice.say('refusal', refusal)
    for (const what of unspoken(delta)) omitted.add(what)
    if (delta.images !== undefined) takeImages(choice, delta)
    if (Array.isArray(tool_calls)) for (const piece of tool_calls) if (isObject(piece)) choice.call(piece)
    if (isObject(function_call)) choice.call({ function: function_call })
  }

  /** Some services end with the whole message again; others send nothing but that. */
  function deltaOf(choice: StreamChoice, said: Json): Json | undefined {
    if (isObject(said.delta)) return said.delta
    return isObject(said.message) && !choice.hasOutput ? said.message : undefined
  }

  function takeParts(choice: StreamChoice, content: readonly unknown[]): void {
    for (const part of saidParts(content)) {
      if (part.kind === 'omitted') omitted.add(part.what)
      else if (part.text !== '') choice.say(part.kind, part.text)
    }
  }

  function takeImages(choice: StreamChoice, delta: Json): void {
    const lost: string[] = []
    for (const image of imagesOf(delta, lost)) choice.image(image)
    for (const what of lost) omitted.add(what)
  }

  function takeAccompanying(choice: StreamChoice, said: Json, delta: Json): void {
    if (delta.annotations !== undefined) {
      const citations = decodeAnnotations(delta.annotations)
      sawAnnotations ||= citations.length > 0
      if (citations.length > 0 && !choice.cite(citations)) omitted.add('annotations')
    }
    if (!isObject(said.logprobs)) return
    const items = decodeLogprobs(said.logprobs)
    if (items.length > 0) choice.logprobs(items)
  }

  function finish(): void {
    if (isOver) return
    if (choices.size === 0) {
      fail(EMPTY)
      return
    }
    isOver = true
    if (!sawAnnotations) choices.get(0)?.cite(sources)
    for (const choice of choices.values()) choice.closeAll()
    for (const what of omitted) emit({ type: 'omitted', what })
    if (usage !== undefined) emit({ type: 'usage', usage })
    for (const choice of choices.values()) choice.stop()
    emit({ type: 'end' })
  }

  /** Repeated or missing events must not throw: the bytes are untrusted. */
  function guarded(work: () => void): void {
    try {
      work()
    } catch (thrown) {
      fail(thrown instanceof Error && thrown.name === 'SseOverflow' ? OVERSIZED : MALFORMED)
    }
  }

  function takeWhole(): void {
    const bytes = whole.take()
    const decoded = decodeReply(parsedJson(codec.decode(bytes, 0, bytes.length)))
    if (!decoded.ok) {
      fail(decoded.error)
      return
    }
    isOver = true
    for (const event of unfold(decoded.reply)) emit(event)
  }

  return {
    push(bytes) {
      if (isOver) return
      if (form === 'unknown') {
        const first = bytes.find((byte) => !isBlank(byte))
        if (first !== undefined) form = first === OPEN_BRACE ? 'whole' : 'events'
      }
      if (form !== 'whole') guarded(() => reader.push(bytes))
      else if (whole.length + bytes.length > MAX_EVENT_BYTES) fail(OVERSIZED)
      else whole.append(bytes)
    },
    end() {
      if (isOver) return
      if (form === 'whole') {
        guarded(takeWhole)
        return
      }
      guarded(() => reader.end())
      const isComplete = sawLastUsage || (choices.size > 0 && [...choices.values()].every((one) => one.hasFinish))
      if (isComplete) guarded(finish)
      else fail(choices.size === 0 ? EMPTY : CUT)
    },
  }
}

/** Spaces, line ends and the byte order mark. */
const isBlank = (byte: number): boolean => byte <= 0x20 || byte === 0xef || byte === 0xbb || byte === 0xbf
