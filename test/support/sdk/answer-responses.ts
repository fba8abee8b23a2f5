// Responses: complete answers and events. The last event repeats the complete answer, which must equal the deltas.
import type OpenAI from 'openai'
import { customArguments, figures, type Pieces } from './answer.ts'

type Response = OpenAI.Responses.Response
type Item = OpenAI.Responses.ResponseOutputItem

export function addResponse(pieces: Pieces, response: Response): void {
  for (const item of response.output) addItem(pieces, item)
  if (response.status === 'incomplete') {
    pieces.finish = response.incomplete_details?.reason === 'content_filter' ? 'filter' : 'length'
  } else pieces.finish = 'completed'
  const { usage } = response
  if (!usage) return
  pieces.usage = figures({
    input: usage.input_tokens,
    cached: usage.input_tokens_details?.cached_tokens,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.reasoning_tokens,
  })
}

const joined = (parts: readonly { text: string }[] | undefined): string =>
  (parts ?? []).map(({ text }) => text).join('')

function addItem(pieces: Pieces, item: Item): void {
  if (item.type === 'message') {
    for (const part of item.content) {
      if (part.type === 'output_text') pieces.text += part.text
      if (part.type === 'refusal') pieces.refusal += part.refusal
    }
  } else if (item.type === 'reasoning') {
    const [summary, full] = [joined(item.summary), joined(item.content)]
    // The gateway also sends the full reasoning as its summary.
    pieces.reasoning += summary === full ? full : summary + full
  } else if (item.type === 'function_call') {
    pieces.calls.push({ name: item.name, text: item.arguments })
  } else if (item.type === 'custom_tool_call') {
    pieces.calls.push({ name: item.name, text: customArguments(item.input) })
  }
}

/**
 * `end` throws if the stream had no last event. `strict`: also if its text differs from the deltas, which a gateway must
 * never do although services do.
 */
export function openResponseStream(pieces: Pieces, strict: boolean) {
  const items: Item[] = []
  let streamedText = ''
  let ended = false
  return {
    push(event: OpenAI.Responses.ResponseStreamEvent): void {
      if (event.type === 'response.output_text.delta') streamedText += event.delta
      if (event.type === 'response.output_item.done') items.push(event.item)
      if (event.type !== 'response.completed' && event.type !== 'response.incomplete') return
      ended = true
      const isBare = !event.response.output?.length
      addResponse(pieces, isBare ? { ...event.response, output: items.splice(0) } : event.response)
    },
    end(): void {
      if (!ended) throw new Error('the stream has no last event')
      const isSame = !strict || streamedText === '' || streamedText === pieces.text
      if (!isSame) throw new Error(`the last event has another text than the events before it: ${streamedText}`)
    },
  }
}
