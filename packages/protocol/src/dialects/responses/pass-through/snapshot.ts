// What a passing stream has shown so far, for the cases in which the gateway ends it: the last event of this dialect
// repeats the whole answer, and clients take it for the answer. It is kept up to a limit; beyond that what is too much
// is missing from the last event, though it was streamed.

import type { ErrorInfo } from '../../../canonical/error.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Codec } from '../../../framing/codec.ts'
import { type GrowingBytes, growingBytes } from '../../../framing/growing-bytes.ts'
import { formatSse } from '../../../framing/sse.ts'
import type { ChargedUnits, EchoedField } from '../../pass-through.ts'
import { encodeStreamError } from '../error.ts'

const KEPT_BYTES = 1024 * 1024

/** `room`: how much of the limit it takes. */
type OpenItem = { item: Json; text: GrowingBytes; deltaType: string; room: number }

export type Snapshot = {
  /** An event that begins or ends something; `size` is that of its data. */
  note(type: string, data: Json, size: number): void
  /** A piece of text: the JSON string at `start` to `end`, with its quotes. */
  append(type: string, bytes: Uint8Array, start: number, end: number, outputIndex: () => number): void
  /** The events that end the answer as if it had reached its cap. */
  incomplete(units: ChargedUnits, sequence: number): string
  /** The events that end it in an error, with what was begun closed. */
  failed(error: ErrorInfo, requestId: string, sequence: number): string
}

export function openSnapshot(codec: Codec, renameTo: string | undefined, echo: readonly EchoedField[] = []): Snapshot {
  let response: Json = {}
  const finished = new Map<number, Json>()
  const open = new Map<number, OpenItem>()
  let kept = 0

  /** Whether there is room for so much more. */
  function hasRoom(size: number): boolean {
    if (kept + size > KEPT_BYTES) return false
    kept += size
    return true
  }

  function note(type: string, data: Json, size: number): void {
    const index = Number(data.output_index)
    if (type === 'response.created' && isObject(data.response)) {
      const { id, object, created_at, model } = data.response
      response = hasRoom(size) ? data.response : { id, object, created_at, model }
      if (renameTo !== undefined) response = { ...response, model: renameTo }
      const told = echo.filter(({ name, always }) => always || typeof response[name] === 'string')
      for (const { name, json } of told) response = { ...response, [name]: parsedJson(json) }
    } else if (type === 'response.output_item.added' && isObject(data.item)) {
      if (hasRoom(size)) open.set(index, { item: data.item, text: growingBytes(), deltaType: '', room: size })
    } else if (type === 'response.output_item.done' && isObject(data.item)) {
      kept -= open.get(index)?.room ?? 0
      open.delete(index)
      if (hasRoom(size)) finished.set(index, data.item)
    } else notePart(type, data, open.get(index))
  }

  function notePart(type: string, data: Json, into: OpenItem | undefined): void {
    if (into === undefined || !isObject(data.part)) return
    const list = type.includes('summary') ? 'summary' : 'content'
    const place = Number(data.content_index ?? data.summary_index)
    const parts = Array.isArray(into.item[list]) ? [...into.item[list]] : []
    if (!(place >= 0 && place <= parts.length)) return
    parts[place] = data.part
    into.item = { ...into.item, [list]: parts }
    // The text so far is in the part, if that is done.
    into.text.take()
  }

  function append(type: string, bytes: Uint8Array, start: number, end: number, outputIndex: () => number): void {
    if (open.size === 0) return
    const [only] = open.values()
    const into = open.size === 1 ? only : open.get(outputIndex())
    const size = end - start - 2
    if (into === undefined || !hasRoom(size)) return
    into.room += size
    into.deltaType = type
    into.text.append(bytes.subarray(start + 1, end - 1))
  }

  /** The events that close what is open, the number of the next one, and all items as far as they came. */
  function close(sequence: number): { frames: string; next: number; output: Json[] } {
    const events: NewEvent[] = []
    const items = new Map(finished)
    for (const [index, { item, text, deltaType }] of open) {
      const written = text.length === 0 ? '' : codec.decode(text.peek(), 0, text.length)
      const { closing, closed } = closeItem(item, deltaType, String(parsedJson(`"${written}"`) ?? ''), index)
      events.push(...closing, { type: 'response.output_item.done', output_index: index, item: closed })
      items.set(index, closed)
    }
    const frames = events.map((event, place) => numbered(event, sequence + place)).join('')
    const output = [...items].toSorted(([one], [other]) => one - other).map(([, item]) => item)
    return { frames, next: sequence + events.length, output }
  }

  function incomplete({ input, cachedInput, cacheWrite, output: tokens }: ChargedUnits, sequence: number): string {
    const { frames, next, output } = close(sequence)
    const prompt = input + cachedInput + cacheWrite
    const usage = {
      input_tokens: prompt,
      input_tokens_details: { cached_tokens: cachedInput, cache_write_tokens: cacheWrite },
      output_tokens: tokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: prompt + tokens,
    }
    const ending = { status: 'incomplete', error: null, incomplete_details: { reason: 'max_output_tokens' } }
    const last = { type: 'response.incomplete', response: { ...response, ...ending, output, usage } }
    return frames + numbered(last, next)
  }

  function failed(error: ErrorInfo, requestId: string, sequence: number): string {
    if (response.id === undefined) return failedAtOnce(error, requestId)
    const { frames, next, output } = close(sequence)
    return frames + encodeStreamError(error, requestId, { response: { ...response, output }, nextSequenceNumber: next })
  }

  return { note, append, incomplete, failed }
}

/** Clients that put a response together throw what they have not seen begin away, the error with it. */
function failedAtOnce(error: ErrorInfo, requestId: string): string {
  const response = { id: `resp_${requestId}`, object: 'response', status: 'in_progress', output: [] }
  const told = { response, nextSequenceNumber: 1 }
  return numbered({ type: 'response.created', response }, 0) + encodeStreamError(error, requestId, told)
}

type NewEvent = { type: string; [field: string]: unknown }

function numbered({ type, ...rest }: NewEvent, sequence: number): string {
  return formatSse(JSON.stringify({ type, sequence_number: sequence, ...rest }), type)
}

type Closing = { closing: NewEvent[]; closed: Json }

/** An item that was cut short: the events that close what is open inside, and the item as far as it came. */
function closeItem(item: Json, deltaType: string, text: string, outputIndex: number): Closing {
  const at = { item_id: item.id, output_index: outputIndex }
  const status = 'incomplete'
  if (item.type === 'function_call') {
    const closed = { ...item, arguments: text, status }
    const type = 'response.function_call_arguments.done'
    return { closing: [{ type, ...at, name: item.name, arguments: text }], closed }
  }
  if (item.type === 'custom_tool_call') {
    const closing = [{ type: 'response.custom_tool_call_input.done', ...at, input: text }]
    return { closing, closed: { ...item, input: text, status } }
  }
  if (text === '' || (item.type !== 'message' && item.type !== 'reasoning'))
    return { closing: [], closed: { ...item, status } }

  const kind = deltaType.replace(/\.delta$/, '')
  const isSummary = kind.includes('summary')
  const list = isSummary ? 'summary' : 'content'
  const parts: unknown[] = Array.isArray(item[list]) ? item[list] : []
  const begun = parts.at(-1)
  const isRefusal = kind === 'response.refusal'
  const part = { ...(isObject(begun) ? begun : newPart(kind)), [isRefusal ? 'refusal' : 'text']: text }
  const place = { [isSummary ? 'summary_index' : 'content_index']: Math.max(0, parts.length - 1) }
  const logprobs = kind === 'response.output_text' ? { logprobs: [] } : {}
  const partDone = isSummary ? 'response.reasoning_summary_part.done' : 'response.content_part.done'
  const closing = [
    { type: `${kind}.done`, ...at, ...place, [isRefusal ? 'refusal' : 'text']: text, ...logprobs },
    ...(isObject(begun) ? [{ type: partDone, ...at, ...place, part }] : []),
  ]
  return { closing, closed: { ...item, [list]: [...parts.slice(0, -1), part], status } }
}

function newPart(kind: string): Json {
  if (kind.includes('summary')) return { type: 'summary_text' }
  if (kind === 'response.refusal') return { type: 'refusal' }
  return kind.includes('reasoning') ? { type: 'reasoning_text' } : { type: 'output_text', annotations: [] }
}
