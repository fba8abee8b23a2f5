// Messages: complete answers and events. Blocks of tools that the service runs itself are ignored.
import type Anthropic from '@anthropic-ai/sdk'
import { figures, type Pieces } from './answer.ts'

export function addMessage(pieces: Pieces, message: Anthropic.Message): void {
  for (const block of message.content) {
    if (block.type === 'text') pieces.text += block.text
    if (block.type === 'thinking') pieces.reasoning += block.thinking
    if (block.type === 'tool_use') pieces.calls.push({ name: block.name, text: JSON.stringify(block.input ?? {}) })
  }
  addStop(pieces, message.stop_reason)
  addUsage(pieces, message.usage)
}

export function openMessageStream(pieces: Pieces): (event: Anthropic.MessageStreamEvent) => void {
  const calls = new Map<number, { call: Pieces['calls'][number]; given: string }>()
  let usage: Partial<Anthropic.Usage> = {}
  return (event) => {
    if (event.type === 'message_start') {
      usage = { ...event.message.usage }
      calls.clear()
    } else if (event.type === 'content_block_start') {
      const { content_block: block, index } = event
      if (block.type === 'text') pieces.text += block.text
      if (block.type === 'thinking') pieces.reasoning += block.thinking
      if (block.type !== 'tool_use') return
      // Some services send the complete input here, and no deltas after it.
      const given = JSON.stringify(block.input ?? {})
      const call = { name: block.name, text: given === '{}' ? '' : given }
      calls.set(index, { call, given })
      pieces.calls.push(call)
    } else if (event.type === 'content_block_delta') {
      const { delta, index } = event
      if (delta.type === 'text_delta') pieces.text += delta.text
      if (delta.type === 'thinking_delta') pieces.reasoning += delta.thinking
      const open = calls.get(index)
      if (delta.type === 'input_json_delta' && open && delta.partial_json !== '') {
        open.call.text = (open.call.text === open.given ? '' : open.call.text) + delta.partial_json
      }
    } else if (event.type === 'message_delta') {
      addStop(pieces, event.delta.stop_reason)
      const known = Object.entries(event.usage ?? {}).filter(([, value]) => value !== null && value !== undefined)
      usage = { ...usage, ...Object.fromEntries(known) }
      addUsage(pieces, usage)
    }
  }
}

function addStop(pieces: Pieces, reason: string | null): void {
  if (reason === null) return
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') pieces.finish = 'length'
  else pieces.finish = reason === 'refusal' ? 'filter' : 'completed'
}

type Summed = { type?: string; input_tokens?: number; output_tokens?: number }

/**
 * Compatible services may omit it, whatever the types say. Tokens for summaries of the conversation are billed, too, and
 * reported separately.
 */
function addUsage(
  pieces: Pieces,
  usage: (Partial<Anthropic.Usage> & { iterations?: Summed[] | null }) | undefined,
): void {
  if (usage?.input_tokens === undefined) return
  const cached = usage.cache_read_input_tokens ?? 0
  const summaries = (usage.iterations ?? []).filter(({ type }) => type === 'compaction')
  const took = (name: 'input_tokens' | 'output_tokens') => summaries.reduce((sum, each) => sum + (each[name] ?? 0), 0)
  const input = usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0)
  pieces.usage = figures({
    input: input + took('input_tokens'),
    cached,
    output: usage.output_tokens === undefined ? undefined : usage.output_tokens + took('output_tokens'),
    reasoning: usage.output_tokens_details?.thinking_tokens,
  })
}
