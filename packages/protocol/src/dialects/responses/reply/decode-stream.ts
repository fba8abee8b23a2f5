// Bytes of an upstream's stream -> canonical events. Only events that change an answer are looked at; unknown ones,
// keep-alives and the progress of hosted tools pass by.

import type { ErrorInfo } from '../../../canonical/error.ts'
import type { Emit } from '../../../canonical/event.ts'
import { isObject, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { openEventReader } from '../../../framing/event-reader.ts'
import { type SseEvent, SseOverflow } from '../../../framing/sse.ts'
import type { StreamDecoder } from '../../text-dialect.ts'
import { decodeError } from '../error.ts'
import type { ReadEvent } from '../wire.ts'
import { type ItemsDecoder, openItemsDecoder } from './decode-items.ts'

/** Images travel inside events of this dialect. */
const MAX_EVENT_BYTES = 24 * 1024 * 1024

type Take = (answer: ItemsDecoder, event: ReadEvent) => void

const TAKES: Readonly<Record<string, Take>> = {
  'response.created': (answer, event) => answer.begin(event.response),
  'response.queued': (answer, event) => answer.begin(event.response),
  'response.in_progress': (answer, event) => answer.begin(event.response),
  'response.output_item.added': (answer, event) => answer.added(event),
  'response.output_item.done': (answer, event) => answer.itemDone(event),
  'response.content_part.done': (answer, event) => answer.partDone(event),
  'response.output_text.delta': (answer, event) => answer.text(event, 'text'),
  'response.output_text.done': (answer, event) => answer.textDone(event, 'text'),
  'response.output_text.annotation.added': (answer, event) => answer.annotation(event),
  'response.refusal.delta': (answer, event) => answer.text(event, 'refusal'),
  'response.refusal.done': (answer, event) => answer.textDone(event, 'refusal'),
  'response.reasoning_summary_text.delta': (answer, event) => answer.reasoning(event, 'summary'),
  'response.reasoning_summary_text.done': (answer, event) => answer.reasoningDone(event, 'summary'),
  'response.reasoning_text.delta': (answer, event) => answer.reasoning(event, 'full'),
  'response.reasoning_text.done': (answer, event) => answer.reasoningDone(event, 'full'),
  'response.reasoning_summary_part.done': (answer, event) => answer.reasoningDone(withText(event), 'summary'),
  'response.reasoning_part.done': (answer, event) => answer.reasoningDone(withText(event), 'full'),
  // Names from the dialect's first days, still in use at compatible services.
  'response.reasoning_summary.delta': (answer, event) => answer.reasoning(event, 'summary'),
  'response.reasoning.delta': (answer, event) => answer.reasoning(event, 'full'),
  'response.function_call_arguments.delta': (answer, event) => answer.callPiece(event),
  'response.function_call_arguments.done': (answer, event) => answer.callDone(event),
  'response.custom_tool_call_input.delta': (answer, event) => answer.callPiece(event),
  'response.custom_tool_call_input.done': (answer, event) => answer.callDone(event),
  'response.completed': finish,
  'response.incomplete': finish,
  'response.done': finish,
}

const withText = (event: ReadEvent): ReadEvent => ({
  ...event,
  text: isObject(event.part) ? event.part.text : undefined,
})

function finish(answer: ItemsDecoder, event: ReadEvent): void {
  const response = isObject(event.response) ? event.response : {}
  answer.finish(event.type === 'response.incomplete' ? { ...response, status: 'incomplete' } : response)
}

const FAILURES: ReadonlySet<string> = new Set(['error', 'response.failed', 'response.error', 'response.cancelled'])

const CUT: ErrorInfo = { code: 'upstream_error', message: 'The upstream ended its answer before it was complete.' }
const UNREADABLE: ErrorInfo = { code: 'upstream_error', message: 'The upstream sent a stream that cannot be read.' }

export function openStreamDecoder(emit: Emit, codec: Codec): StreamDecoder {
  const answer = openItemsDecoder(emit)
  const reader = openEventReader(onEvent, codec, MAX_EVENT_BYTES)
  let isOver = false

  function fail(error: ErrorInfo): void {
    if (isOver) return
    isOver = true
    emit({ type: 'error', error })
  }

  function close(): void {
    if (isOver) return
    if (answer.end()) isOver = true
    else fail(CUT)
  }

  function onEvent({ event: name, data }: SseEvent): void {
    if (isOver) return
    if (data.startsWith('[DONE]')) {
      answer.endEarly()
      close()
      return
    }
    const event = parsedJson(data)
    // Rubbish behind a whole answer takes nothing from it.
    if (!isObject(event)) {
      if (!answer.isComplete) fail(UNREADABLE)
      return
    }
    const type = typeof event.type === 'string' ? event.type : (name ?? '')
    const take = TAKES[type]
    if (take !== undefined && !hasFailed(event)) take(answer, event)
    else if (FAILURES.has(type) || hasFailed(event) || isObject(event.error)) {
      answer.usageOf(event.response)
      fail(decodeError(200, event))
    }
  }

  function read(action: () => void): void {
    if (isOver) return
    try {
      action()
    } catch (thrown) {
      if (!(thrown instanceof SseOverflow)) throw thrown
      fail(UNREADABLE)
    }
  }

  return {
    push: (bytes) => read(() => reader.push(bytes)),
    end() {
      read(() => reader.end())
      close()
    },
    isWhole: () => answer.isComplete,
  }
}

/** Whatever the event is called: an answer that says it failed did. */
const hasFailed = (event: ReadEvent): boolean =>
  isObject(event.response) && (event.response.status === 'failed' || event.response.status === 'cancelled')
