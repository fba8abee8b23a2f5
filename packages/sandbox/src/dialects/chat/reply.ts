// The answer as a single JSON body of the chat dialect, in pieces.

import type { Plan, ToolHead } from '../../model/plan.ts'
import { type FinishReason, type Output, openMeter, produce } from '../../model/produce.ts'
import { inString, joined, UNARY_PIECE } from '../../model/text.ts'
import type { Head, Quirks } from '../dialect.ts'
import { annotationsOf, callHead, envelope, FIELD, FINISH, inputField, usageOf } from './wire.ts'

export function chatBody(plan: Plan, head: Head, quirks: Quirks): Generator<string> {
  return joined(bodyPieces(plan, head, quirks), UNARY_PIECE)
}

function* bodyPieces(plan: Plan, head: Head, quirks: Quirks): Generator<string> {
  const meter = openMeter(plan)
  yield `${JSON.stringify(envelope(head, '')).slice(0, -1)},"choices":[`
  for (const index of plan.choices.keys()) {
    yield `${index === 0 ? '' : ','}{"index":${index},"message":{"role":"assistant"`
    const reason = yield* messagePieces(produce(plan, index, meter))
    yield `},"logprobs":null,"finish_reason":${quirks.noFinish ? 'null' : JSON.stringify(FINISH[reason])}}`
  }
  yield quirks.usage === 'none' ? ']}' : `],"usage":${JSON.stringify(usageOf(meter, quirks))}}`
}

/** JSON strings are opened and closed with the blocks, so that no text has to be buffered. */
function* messagePieces(outputs: Iterable<Output>): Generator<string, FinishReason> {
  const seen = new Set<string>()
  for (const output of outputs) {
    if (output.type === 'start') continue
    if (output.type === 'end') {
      yield `${seen.has('tool') ? ']' : ''}${seen.has('text') ? '' : ',"content":null'}`
      yield seen.has('refusal') ? '' : ',"refusal":null'
      return output.reason
    }
    const { head } = output
    if (head.kind === 'search' || (head.kind === 'reasoning' && head.text !== 'shown')) continue
    if (output.type === 'delta') yield inString(output.text)
    else if (output.type === 'close') yield head.kind === 'tool' ? '"}}' : '"'
    else if (head.kind === 'tool') yield `${seen.has('tool') ? ',' : ',"tool_calls":['}${callOpening(head)}`
    else yield `,"${FIELD[head.kind]}":"`
    if (output.type === 'close' && output.whole && head.kind === 'text' && head.cited !== undefined)
      yield `,"annotations":${JSON.stringify(annotationsOf(head.cited))}`
    seen.add(head.kind)
  }
  return 'stop'
}

function callOpening(head: ToolHead): string {
  const { name, form } = head
  return `${JSON.stringify(callHead(head)).slice(0, -1)},"${form}":{"name":${JSON.stringify(name)},"${inputField(form)}":"`
}
