// The answer as the chunks of a generate-content stream, produced on demand.

import type { Plan } from '../../model/plan.ts'
import { type Output, openMeter, produceAll } from '../../model/produce.ts'
import type { Head, Quirks, StreamEvent } from '../dialect.ts'
import { BLOCKED, callPart, envelope, FINISH, groundingOf, usageOf } from './wire.ts'

/** The state of a candidate between its outputs. */
type Candidate = { input: string; signature: string | undefined }

export function* generateContentEvents(plan: Plan, head: Head, quirks: Quirks): Generator<StreamEvent> {
  const meter = openMeter(plan)
  const usage = () => (quirks.usage === 'none' ? {} : { usageMetadata: usageOf(meter, quirks) })
  const chunk = (fields: Record<string, unknown>): StreamEvent => ({
    data: JSON.stringify({ ...fields, ...envelope(head) }),
  })
  if (plan.filtered) return yield chunk({ ...BLOCKED, ...usage() })
  const candidates = plan.choices.map((): Candidate => ({ input: '', signature: undefined }))
  if (quirks.duplicateStart) {
    const empty = chunk({ candidates: [{ content: contentOf({ text: '' }), index: 0 }] })
    yield empty
    yield empty
  }
  let ended = 0
  for (const { choice: index, output } of produceAll(plan, meter)) {
    const candidate = candidates[index]
    const part = candidate && partOf(output, candidate)
    if (part === undefined) continue
    if (output.type === 'end') ended++
    const reason = output.type === 'end' && !quirks.noFinish ? FINISH[output.reason] : undefined
    const finishReason = reason ?? (quirks.finishEveryChunk ? 'STOP' : undefined)
    const last = ended === candidates.length
    yield chunk({
      candidates: [
        {
          content: contentOf(part),
          finishReason,
          index,
          ...(output.type === 'end' ? groundingOf(plan.choices[index]) : {}),
        },
      ],
      ...(last || quirks.usageEveryChunk ? usage() : {}),
    })
  }
}

function contentOf(part: Record<string, unknown>): Record<string, unknown> {
  return { parts: [part], role: 'model' }
}

/** Text as it is produced; a call once it is complete, and not at all if it was cut. */
function partOf(output: Output, candidate: Candidate): Record<string, unknown> | undefined {
  if (output.type === 'start') return undefined
  if (output.type === 'end')
    return { text: '', ...(candidate.signature === undefined ? {} : { thoughtSignature: candidate.signature }) }
  const { head } = output
  if (head.kind === 'tool') {
    // The first call carries the signature of the reasoning; later parts need none.
    if (output.type === 'open') candidate.signature = undefined
    candidate.input = output.type === 'delta' ? candidate.input + output.text : candidate.input
    if (output.type !== 'close') return undefined
    const { input } = candidate
    candidate.input = ''
    return output.whole ? callPart(head, input) : undefined
  }
  if (output.type === 'close' && output.signature !== undefined) candidate.signature = output.signature
  if (output.type !== 'delta') return undefined
  return head.kind === 'reasoning' ? { text: output.text, thought: true } : { text: output.text }
}
