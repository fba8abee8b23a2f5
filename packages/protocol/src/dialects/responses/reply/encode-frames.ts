// The frames of a responses stream, in the order of their sequence numbers. `output` has the items that are complete, so its
// length is the index of the item that is being written.

import type { WrittenItem, WrittenPart } from '../wire.ts'
import type { Draft } from './encode-items.ts'

type Kind<Name extends Draft['kind']> = Extract<Draft, { kind: Name }>
export type ReasoningDraft = Kind<'reasoning'>
type Style = ReasoningDraft['style']

export function openFrames(output: readonly WrittenItem[]) {
  let sequence = 0
  const nextSequenceNumber = (): number => sequence++

  /** `fields`: JSON members, without braces. */
  const frame = (type: string, fields: string): string =>
    `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence++},${fields}}\n\n`

  const place = (): string => `"output_index":${output.length}`
  const placeOf = (id: string): string => `"item_id":"${id}",${place()}`
  const placeOfReasoning = ({ id }: ReasoningDraft, style: Style): string =>
    `${placeOf(id)},"${style === 'summary' ? 'summary' : 'content'}_index":0`

  function reasoningPart(of: ReasoningDraft, style: Style, event: 'added' | 'done', text: string): string {
    const isSummary = style === 'summary'
    const type = `response.${isSummary ? 'reasoning_summary_part' : 'content_part'}.${event}`
    const part = { type: isSummary ? 'summary_text' : 'reasoning_text', text }
    return frame(type, `${placeOfReasoning(of, style)},"part":${JSON.stringify(part)}`)
  }

  /** Reasoning is streamed as a summary, which clients show. Full reasoning follows as such, in one delta. */
  function closeReasoning(of: ReasoningDraft): string {
    const text = JSON.stringify(of.text)
    const done = frame('response.reasoning_summary_text.done', `${placeOfReasoning(of, 'summary')},"text":${text}`)
    const summary = done + reasoningPart(of, 'summary', 'done', of.text)
    if (of.style === 'summary') return summary
    const where = placeOfReasoning(of, 'full')
    return (
      summary +
      reasoningPart(of, 'full', 'added', '') +
      frame('response.reasoning_text.delta', `${where},"delta":${text}`) +
      frame('response.reasoning_text.done', `${where},"text":${text}`) +
      reasoningPart(of, 'full', 'done', of.text)
    )
  }

  /** Closes the last part of a message, with its whole text. */
  function closePart({ id, parts }: Kind<'message'>, part: WrittenPart, text: string): string {
    const where = `${placeOf(id)},"content_index":${parts.length - 1}`
    const json = JSON.stringify(text)
    let done: string
    if (part.type === 'output_text') {
      part.text = text
      done = frame('response.output_text.done', `${where},"text":${json},"logprobs":${JSON.stringify(part.logprobs)}`)
    } else {
      part.refusal = text
      done = frame('response.refusal.done', `${where},"refusal":${json}`)
    }
    return done + frame('response.content_part.done', `${where},"part":${JSON.stringify(part)}`)
  }

  function closeCall({ id, name, custom, text }: Kind<'call'>): string {
    const json = JSON.stringify(text)
    if (custom) return frame('response.custom_tool_call_input.done', `${placeOf(id)},"input":${json}`)
    const fields = `${placeOf(id)},"name":${JSON.stringify(name)},"arguments":${json}`
    return frame('response.function_call_arguments.done', fields)
  }

  return {
    frame,
    nextSequenceNumber,
    place,
    placeOf,
    placeOfReasoning,
    reasoningPart,
    closeReasoning,
    closePart,
    closeCall,
  }
}
