// An upstream's stream as canonical events.

import type { Emit, StreamEvent } from '../../../canonical/event.ts'
import { parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type EventReader, openEventReader } from '../../../framing/event-reader.ts'
import { isFiller, openArrayReader } from '../../../framing/json/json-array.ts'
import { SseOverflow } from '../../../framing/sse.ts'
import type { StreamDecoder } from '../../text-dialect.ts'
import { openChunkDecoder } from './decode-chunk.ts'

/** Images come whole in one event. */
const LARGEST_EVENT = 24 * 1024 * 1024

const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b

export function openStreamDecoder(emit: Emit, codec: Codec): StreamDecoder {
  let isDone = false
  const answer = openChunkDecoder((event: StreamEvent) => {
    if (event.type === 'error' || event.type === 'end') isDone = true
    emit(event)
  })
  let reader: EventReader | undefined

  function take(text: string): void {
    if (isDone) return
    const chunk = parsedJson(text)
    // Services that imitate this dialect end it like chat.
    if (chunk === undefined && text.trim() === '[DONE]') return
    if (chunk === undefined) answer.fail({ code: 'upstream_error', message: 'The upstream sent invalid JSON.' })
    else answer.take(chunk)
  }

  /** Events were asked for; some services send one JSON array, or a single object, all the same. */
  function readerFor(first: number): EventReader {
    return first === OPEN_BRACE || first === OPEN_BRACKET
      ? openArrayReader(take, codec, LARGEST_EVENT)
      : openEventReader((event) => take(event.data), codec, LARGEST_EVENT)
  }

  function guarded(read: () => void): void {
    if (isDone) return
    try {
      read()
    } catch (thrown) {
      const message =
        thrown instanceof SseOverflow
          ? 'The upstream sent an event that is too large.'
          : 'The upstream failed to answer.'
      answer.fail({ code: 'upstream_error', message, detail: String(thrown).slice(0, 200) })
    }
  }

  return {
    push(bytes) {
      guarded(() => {
        if (reader !== undefined) {
          reader.push(bytes)
          return
        }
        const begin = bytes.findIndex((byte) => !isFiller(byte))
        if (begin < 0) return
        reader = readerFor(bytes[begin] ?? 0)
        reader.push(begin === 0 ? bytes : bytes.subarray(begin))
      })
    },
    end() {
      guarded(() => {
        reader?.end()
        answer.end(false)
      })
    },
  }
}
