// The answer as the events of a chat stream, produced on demand.

import type { Plan } from '../../model/plan.ts'
import { type Output, openMeter, produceAll } from '../../model/produce.ts'
import type { Head, Quirks, StreamEvent } from '../dialect.ts'
import { annotationsOf, callHead, envelope, FIELD, FINISH, inputField, usageOf } from './wire.ts'

export function* chatEvents(plan: Plan, head: Head, includeUsage: boolean, quirks: Quirks): Generator<StreamEvent> {
  const meter = openMeter(plan)
  const chunk = (choices: unknown[], usage: unknown): StreamEvent => ({
    data: JSON.stringify({ ...envelope(head, '.chunk'), choices, usage }),
  })
  // An undefined usage omits the field: without the option no chunk has one.
  const interim = () => (quirks.usageEveryChunk ? usageOf(meter, quirks) : includeUsage ? null : undefined)
  for (const { choice, output } of produceAll(plan, meter, quirks.interleave)) {
    const delta = deltaOf(output)
    if (delta === undefined || (output.type === 'end' && quirks.noFinish)) continue
    const finish = output.type === 'end' ? FINISH[output.reason] : quirks.finishEveryChunk ? 'stop' : null
    const event = chunk([{ index: choice, delta, logprobs: null, finish_reason: finish }], interim())
    yield event
    if (output.type === 'start' && quirks.duplicateStart) yield event
  }
  if (includeUsage && quirks.usage !== 'none') yield chunk([], usageOf(meter, quirks))
  yield { data: '[DONE]' }
}

function deltaOf(output: Output): Record<string, unknown> | undefined {
  if (output.type === 'start') return { role: 'assistant', content: '' }
  if (output.type === 'end') return {}
  const { head, call } = output
  if (head.kind === 'search') return undefined
  if (output.type === 'close')
    return output.whole && head.kind === 'text' && head.cited ? { annotations: annotationsOf(head.cited) } : undefined
  if (output.type === 'open') {
    if (head.kind !== 'tool') return undefined
    return {
      tool_calls: [{ index: call, ...callHead(head), [head.form]: { name: head.name, [inputField(head.form)]: '' } }],
    }
  }
  if (head.kind !== 'tool') return { [FIELD[head.kind]]: output.text }
  return { tool_calls: [{ index: call, [head.form]: { [inputField(head.form)]: output.text } }] }
}
