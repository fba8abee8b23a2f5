// The answer as a single JSON body of the responses dialect, in pieces.

import type { Plan } from '../../model/plan.ts'
import { type FinishReason, type Output, openMeter, produce } from '../../model/produce.ts'
import { inString, joined, UNARY_PIECE } from '../../model/text.ts'
import type { Head, Quirks } from '../dialect.ts'
import { envelope, type Frame, itemId, itemOf, usageOf } from './wire.ts'

/** Characters of a private use area, which no answer contains. */
const HOLE = '\uf8ff\uf8fesandbox\uf8fe\uf8ff'

export function responsesBody(plan: Plan, head: Head, frame: Frame, quirks: Quirks): Generator<string> {
  return joined(bodyPieces(plan, head, frame, quirks), UNARY_PIECE)
}

function* bodyPieces(plan: Plan, head: Head, frame: Frame, quirks: Quirks): Generator<string> {
  const meter = openMeter(plan)
  yield '{"output":['
  const reason = yield* itemPieces(produce(plan, 0, meter), head, frame)
  const usage = quirks.usage === 'none' ? {} : { usage: usageOf(meter, quirks) }
  yield `],${JSON.stringify({ ...envelope(head, frame, quirks.noFinish ? undefined : reason), ...usage }).slice(1)}`
}

/** An item is written around its text, which is inserted while it is produced. */
function* itemPieces(outputs: Iterable<Output>, head: Head, frame: Frame): Generator<string, FinishReason> {
  for (const output of outputs) {
    if (output.type === 'start') continue
    if (output.type === 'end') return output.reason
    if (output.type === 'delta') {
      yield inString(output.text)
      continue
    }
    const { head: part, block } = output
    const closed = output.type === 'close' ? output : { whole: true, signature: undefined }
    const signature = frame.encrypted ? closed.signature : undefined
    const item = JSON.stringify(
      itemOf(itemId(head, part, block), part, { ...closed, signature, text: HOLE, sources: frame.sources }),
    )
    const hole = item.indexOf(HOLE)
    if (output.type === 'close') yield hole < 0 ? comma(block) + item : item.slice(hole + HOLE.length)
    else if (hole >= 0) yield comma(block) + item.slice(0, hole)
  }
  return 'stop'
}

function comma(block: number): string {
  return block === 0 ? '' : ','
}
