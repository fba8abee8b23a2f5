// The answer as the events of a responses stream, produced on demand.

import type { PartHead, Plan } from '../../model/plan.ts'
import { type FinishReason, interleaved, type Output, openMeter, produce } from '../../model/produce.ts'
import type { Head, Quirks, StreamEvent } from '../dialect.ts'
import { annotationsOf, emptyItem, envelope, type Frame, itemId, itemOf, partOf, type Text, usageOf } from './wire.ts'

type Fields = Record<string, unknown>
type Named = { type: string; fields: Fields }
type Spoken = Exclude<PartHead, { kind: 'search' }>
type BlockOutput = Exclude<Output, { type: 'start' | 'end' }>

export function* responsesEvents(plan: Plan, head: Head, frame: Frame, quirks: Quirks): Generator<StreamEvent> {
  let sequence = 0
  const event = ({ type, fields }: Named): StreamEvent => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...fields }),
  })
  for (const named of namedEvents(plan, head, frame, quirks)) yield event(named)
}

function* namedEvents(plan: Plan, head: Head, frame: Frame, quirks: Quirks): Generator<Named> {
  const meter = openMeter(plan)
  const usage = () => (quirks.usage === 'none' ? {} : { usage: usageOf(meter, quirks) })
  const response = (reason: FinishReason | undefined, output: unknown[]) => ({
    response: { ...envelope(head, frame, reason), output, ...(reason === undefined ? {} : usage()) },
  })
  yield { type: 'response.created', fields: response(undefined, []) }
  if (quirks.duplicateStart) yield { type: 'response.created', fields: response(undefined, []) }
  yield { type: 'response.in_progress', fields: response(undefined, []) }
  /** The last event repeats all of it. */
  const items: Fields[] = []
  const outputs = produce(plan, 0, meter)
  for (const output of quirks.interleave ? interleaved(outputs) : outputs) {
    if (output.type === 'start') continue
    if (output.type !== 'end') yield* itemEvents(output, head, frame, items)
    else if (!quirks.noFinish) {
      const status = output.reason === 'length' || output.reason === 'filter' ? 'incomplete' : 'completed'
      yield { type: `response.${status}`, fields: response(output.reason, items) }
    }
  }
}

/** `texts` of the open item are collected, because the events that close it repeat them. */
function* itemEvents(output: BlockOutput, head: Head, frame: Frame, items: Fields[]): Generator<Named> {
  const { head: part, block: output_index } = output
  const id = itemId(head, part, output_index)
  const at = { item_id: id, output_index, ...placeOf(part) }
  if (output.type === 'open') {
    items.push({ text: '' })
    yield { type: 'response.output_item.added', fields: { output_index, item: emptyItem(id, part) } }
    yield* partEvents(part, at, '', 'added')
    return
  }
  if (part.kind === 'search')
    for (const step of ['in_progress', 'searching', 'completed'])
      yield { type: `response.web_search_call.${step}`, fields: at }
  const collected = items[output_index] ?? {}
  if (output.type === 'delta') {
    if (part.kind === 'search') return
    collected.text = `${String(collected.text)}${output.text}`
    const logprobs = part.kind === 'text' ? { logprobs: [] } : {}
    yield { type: `${deltaName(part)}.delta`, fields: { ...at, delta: output.text, ...logprobs } }
    return
  }
  const closed: Text = {
    text: String(collected.text),
    whole: output.whole,
    signature: frame.encrypted ? output.signature : undefined,
    sources: frame.sources,
  }
  for (const [annotation_index, annotation] of annotationsOf(part).entries())
    yield { type: 'response.output_text.annotation.added', fields: { ...at, annotation_index, annotation } }
  if (part.kind !== 'search' && !isHidden(part))
    yield { type: `${deltaName(part)}.done`, fields: { ...at, ...doneFields(part, closed.text) } }
  yield* partEvents(part, at, closed.text, 'done')
  const item = itemOf(id, part, closed)
  items[output_index] = item
  yield { type: 'response.output_item.done', fields: { output_index, item } }
}

function isHidden(part: PartHead): boolean {
  return part.kind === 'reasoning' && part.text !== 'shown'
}

/** The position of a text in its item; calls have only one. */
function placeOf(part: PartHead): Fields {
  if (part.kind === 'tool' || part.kind === 'search') return {}
  return part.kind === 'reasoning' && part.style === 'summary' ? { summary_index: 0 } : { content_index: 0 }
}

function* partEvents(part: PartHead, at: Fields, text: string, what: 'added' | 'done'): Generator<Named> {
  if (part.kind === 'tool' || part.kind === 'search' || isHidden(part)) return
  const name = part.kind === 'reasoning' && part.style === 'summary' ? 'reasoning_summary_part' : 'content_part'
  yield { type: `response.${name}.${what}`, fields: { ...at, part: partOf(part, text) } }
}

function deltaName(part: Spoken): string {
  if (part.kind === 'text') return 'response.output_text'
  if (part.kind === 'refusal') return 'response.refusal'
  if (part.kind === 'tool')
    return part.form === 'function' ? 'response.function_call_arguments' : 'response.custom_tool_call_input'
  return part.style === 'raw' ? 'response.reasoning_text' : 'response.reasoning_summary_text'
}

function doneFields(part: Spoken, text: string): Fields {
  if (part.kind === 'text') return { text, logprobs: [] }
  if (part.kind === 'refusal') return { refusal: text }
  if (part.kind === 'reasoning') return { text }
  return part.form === 'function' ? { name: part.name, arguments: text } : { input: text }
}
