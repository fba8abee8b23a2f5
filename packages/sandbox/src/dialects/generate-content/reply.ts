// The answer as a single JSON body of the generate-content dialect, in pieces.

import type { Plan } from '../../model/plan.ts'
import { type FinishReason, type Output, openMeter, produce } from '../../model/produce.ts'
import { inString, joined, UNARY_PIECE } from '../../model/text.ts'
import type { Head, Quirks } from '../dialect.ts'
import { BLOCKED, callPart, envelope, FINISH, groundingOf, usageOf } from './wire.ts'

export function generateContentBody(plan: Plan, head: Head, quirks: Quirks): Generator<string> {
  return joined(bodyPieces(plan, head, quirks), UNARY_PIECE)
}

function* bodyPieces(plan: Plan, head: Head, quirks: Quirks): Generator<string> {
  const meter = openMeter(plan)
  const tail = () => ({
    ...(quirks.usage === 'none' ? {} : { usageMetadata: usageOf(meter, quirks) }),
    ...envelope(head),
  })
  if (plan.filtered) return yield JSON.stringify({ ...BLOCKED, ...tail() })
  yield '{"candidates":['
  for (const index of plan.choices.keys()) {
    yield `${index === 0 ? '' : ','}{"content":{"parts":[`
    const reason = yield* partPieces(produce(plan, index, meter))
    yield `],"role":"model"},${quirks.noFinish ? '' : `"finishReason":"${FINISH[reason]}",`}"index":${index}`
    const grounding = JSON.stringify(groundingOf(plan.choices[index])).slice(1, -1)
    yield grounding === '' ? '}' : `,${grounding}}`
  }
  yield `],${JSON.stringify(tail()).slice(1)}`
}

/** The last part stays open until it is known whether it carries the signature of the reasoning. */
function* partPieces(outputs: Iterable<Output>): Generator<string, FinishReason> {
  let signature: string | undefined
  let open = false
  let input = ''
  for (const output of outputs) {
    if (output.type === 'start') continue
    if (output.type === 'end') {
      if (!open) yield '{"text":""'
      yield signature === undefined ? '}' : `,"thoughtSignature":${JSON.stringify(signature)}}`
      return output.reason
    }
    const { head } = output
    if (head.kind === 'search') continue
    if (head.kind === 'tool') {
      if (output.type === 'open') [signature, input] = [undefined, '']
      else if (output.type === 'delta') input += output.text
      else if (output.whole) {
        yield `${open ? '},' : ''}${JSON.stringify(callPart(head, input)).slice(0, -1)}`
        open = true
      }
    } else if (output.type === 'delta') yield inString(output.text)
    else if (head.kind !== 'reasoning' || head.text === 'shown') {
      if (output.type === 'open')
        yield `${open ? '},' : ''}${head.kind === 'reasoning' ? '{"thought":true,' : '{'}"text":"`
      else yield '"'
      open = true
    }
    if (output.type === 'close' && output.signature !== undefined) signature = output.signature
  }
  return 'stop'
}
