// The answer as a single JSON body of the messages dialect, in pieces.

import type { Plan } from '../../model/plan.ts'
import { type Output, openMeter, produce } from '../../model/produce.ts'
import { inString, joined, objectOrEmpty, UNARY_PIECE } from '../../model/text.ts'
import type { Head, Quirks } from '../dialect.ts'
import { citationsOf, type Ending, emptyBlock, endingOf, envelope, isRedacted, searchBlocks, usageOf } from './wire.ts'

export function messagesBody(plan: Plan, head: Head, quirks: Quirks): Generator<string> {
  return joined(bodyPieces(plan, head, quirks), UNARY_PIECE)
}

function* bodyPieces(plan: Plan, head: Head, quirks: Quirks): Generator<string> {
  const meter = openMeter(plan)
  yield `${JSON.stringify(envelope(head)).slice(0, -1)},"content":[`
  const ending = yield* blockPieces(produce(plan, 0, meter))
  const usage = quirks.usage === 'none' ? {} : { usage: usageOf(meter, quirks) }
  yield `],${JSON.stringify({ ...endingOf(ending, quirks), ...usage }).slice(1)}`
}

/** The text of a block is the last of its fields, so that it can be written while it is produced. */
function* blockPieces(outputs: Iterable<Output>): Generator<string, Ending> {
  let input = ''
  for (const output of outputs) {
    if (output.type === 'start') continue
    if (output.type === 'end') return output
    const { head } = output
    const comma = output.block === 0 ? '' : ','
    if (head.kind === 'search') {
      if (output.type === 'close')
        yield comma +
          searchBlocks(head)
            .map((block) => JSON.stringify(block))
            .join(',')
    } else if (head.kind === 'tool') {
      if (output.type === 'open') input = ''
      else if (output.type === 'delta') input += output.text
      else yield `${comma}${JSON.stringify({ ...emptyBlock(head), input: objectOrEmpty(input) })}`
    } else if (isRedacted(head)) {
      if (output.type === 'close')
        yield `${comma}${JSON.stringify({ type: 'redacted_thinking', data: output.signature })}`
    } else if (output.type === 'open') {
      yield head.kind === 'reasoning' ? `${comma}{"type":"thinking","thinking":"` : `${comma}{"type":"text","text":"`
    } else if (output.type === 'delta') yield inString(output.text)
    else if (citationsOf(head).length > 0) yield `","citations":${JSON.stringify(citationsOf(head))}}`
    else yield output.signature === undefined ? '"}' : `","signature":${JSON.stringify(output.signature)}}`
  }
  return { reason: 'stop', stop: undefined }
}
