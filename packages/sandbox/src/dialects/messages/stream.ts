// The answer as the events of a messages stream, produced on demand.

import type { PartHead, Plan } from '../../model/plan.ts'
import { type Output, openMeter, produce } from '../../model/produce.ts'
import type { SearchHead } from '../../model/search.ts'
import type { Head, Quirks, StreamEvent } from '../dialect.ts'
import { citationsOf, emptyBlock, endingOf, envelope, isRedacted, searchBlocks, usageOf } from './wire.ts'

export function* messagesEvents(plan: Plan, head: Head, quirks: Quirks): Generator<StreamEvent> {
  const meter = openMeter(plan)
  const usage = () => (quirks.usage === 'none' ? {} : { usage: usageOf(meter, quirks) })
  const started = named('message_start', {
    message: { ...envelope(head), content: [], stop_reason: null, stop_sequence: null, ...usage() },
  })
  yield started
  if (quirks.duplicateStart) yield started
  for (const output of produce(plan, 0, meter)) {
    yield* blockEvents(output)
    if (output.type === 'delta' && quirks.usageEveryChunk)
      yield named('message_delta', { delta: { stop_reason: null, stop_sequence: null }, ...usage() })
    if (output.type === 'end') yield named('message_delta', { delta: endingOf(output, quirks), ...usage() })
  }
  yield named('message_stop', {})
}

function* blockEvents(output: Output): Generator<StreamEvent> {
  if (output.type === 'start' || output.type === 'end') return
  const { head } = output
  const index = output.block + output.searches
  if (head.kind === 'search') {
    if (output.type === 'close') yield* searchEvents(head, index)
    return
  }
  if (isRedacted(head)) {
    // It consists of its data, which is sent with its start and known only at its end.
    if (output.type !== 'close') return
    yield named('content_block_start', { index, content_block: { type: 'redacted_thinking', data: output.signature } })
    return yield named('content_block_stop', { index })
  }
  if (output.type === 'open') yield named('content_block_start', { index, content_block: emptyBlock(head) })
  if (output.type === 'delta') yield named('content_block_delta', { index, delta: deltaOf(head, output.text) })
  if (output.type !== 'close') return
  for (const citation of citationsOf(head))
    yield named('content_block_delta', { index, delta: { type: 'citations_delta', citation } })
  if (output.signature !== undefined) {
    yield named('content_block_delta', { index, delta: { type: 'signature_delta', signature: output.signature } })
  }
  yield named('content_block_stop', { index })
}

function* searchEvents(head: SearchHead, index: number): Generator<StreamEvent> {
  const [call, found] = searchBlocks(head)
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
  yield named('content_block_start', { index, content_block: { ...call, input: {} } })
  yield named('content_block_delta', { index, delta })
  yield named('content_block_stop', { index })
  yield named('content_block_start', { index: index + 1, content_block: found })
  yield named('content_block_stop', { index: index + 1 })
}

function deltaOf({ kind }: PartHead, text: string): Record<string, unknown> {
  if (kind === 'tool') return { type: 'input_json_delta', partial_json: text }
  return kind === 'reasoning' ? { type: 'thinking_delta', thinking: text } : { type: 'text_delta', text }
}

function named(event: string, fields: Record<string, unknown>): StreamEvent {
  return { event, data: JSON.stringify({ type: event, ...fields }) }
}
