// Renders a plan in the chat dialect: as one JSON body, or as the events of a stream. Both lazily, from the same outputs.
import type { Plan } from './plan.ts'
import { type FinishReason, type Meter, type Output, openMeter, produce, produceAll } from './produce.ts'
import { joined } from './text.ts'

export type ChatHead = { id: string; created: number; model: string }

/** Departures from a correct answer that a fault asks for. */
export type ChatQuirks = {
  usage: 'honest' | 'none' | 'zero' | 'negative' | 'huge' | 'string'
  usageEveryChunk: boolean
  noFinish: boolean
  duplicateStart: boolean
}

const FINISH = { stop: 'stop', length: 'length', tools: 'tool_calls' } as const satisfies Record<FinishReason, string>
const FIELD = { reasoning: 'reasoning_content', text: 'content', refusal: 'refusal' } as const
const UNARY_PIECE = 16_384

/** The `data` of each event. */
export function* chatEvents(plan: Plan, head: ChatHead, includeUsage: boolean, quirks: ChatQuirks): Generator<string> {
  const meter = openMeter(plan)
  const chunk = (choices: unknown[], usage: unknown) => JSON.stringify({ ...envelope(head, '.chunk'), choices, usage })
  // An undefined usage leaves the field out: without the option no chunk has one.
  const interim = () => (quirks.usageEveryChunk ? usageOf(meter, quirks) : includeUsage ? null : undefined)
  for (const { choice, output } of produceAll(plan, meter)) {
    if (output.type === 'end' && quirks.noFinish) continue
    const finish = output.type === 'end' ? FINISH[output.reason] : null
    const event = chunk([{ index: choice, delta: deltaOf(output), logprobs: null, finish_reason: finish }], interim())
    yield event
    if (output.type === 'start' && quirks.duplicateStart) yield event
  }
  if (includeUsage && quirks.usage !== 'none') yield chunk([], usageOf(meter, quirks))
  yield '[DONE]'
}

function deltaOf(output: Output): Record<string, unknown> {
  if (output.type === 'start') return { role: 'assistant', content: '' }
  if (output.type === 'end') return {}
  if (output.type === 'tool-start') {
    const { call, id, name, form } = output
    return { tool_calls: [{ index: call, id, type: form, [form]: { name, [inputField(form)]: '' } }] }
  }
  if (output.type === 'tool-input') {
    const { call, form, text } = output
    return { tool_calls: [{ index: call, [form]: { [inputField(form)]: text } }] }
  }
  return { [FIELD[output.type]]: output.text }
}

/** Pieces of the one JSON body. */
export function chatBody(plan: Plan, head: ChatHead, quirks: ChatQuirks): Generator<string> {
  return joined(bodyPieces(plan, head, quirks), UNARY_PIECE)
}

function* bodyPieces(plan: Plan, head: ChatHead, quirks: ChatQuirks): Generator<string> {
  const meter = openMeter(plan)
  yield `${JSON.stringify(envelope(head, '')).slice(0, -1)},"choices":[`
  for (const [index, parts] of plan.choices.entries()) {
    yield `${index === 0 ? '' : ','}{"index":${index},"message":{"role":"assistant"`
    const reason = yield* messagePieces(produce(parts, plan.maxTokens, meter))
    yield `},"logprobs":null,"finish_reason":${quirks.noFinish ? 'null' : JSON.stringify(FINISH[reason])}}`
  }
  yield quirks.usage === 'none' ? ']}' : `],"usage":${JSON.stringify(usageOf(meter, quirks))}}`
}

/** Opens and closes JSON strings as the outputs change their kind, so that no text has to be collected. */
function* messagePieces(outputs: Iterable<Output>): Generator<string, FinishReason> {
  const seen = new Set<Output['type']>()
  let open = ''
  for (const output of outputs) {
    if (output.type === 'start') continue
    if (output.type === 'tool-start') {
      yield `${open}${seen.has('tool-start') ? ',' : ',"tool_calls":['}${toolOpening(output)}`
      open = '"}}'
    } else if (output.type === 'end') {
      yield `${open}${seen.has('tool-start') ? ']' : ''}`
      yield `${seen.has('text') ? '' : ',"content":null'}${seen.has('refusal') ? '' : ',"refusal":null'}`
      return output.reason
    } else {
      if (output.type !== 'tool-input' && !seen.has(output.type)) {
        yield `${open},"${FIELD[output.type]}":"`
        open = '"'
      }
      yield JSON.stringify(output.text).slice(1, -1)
    }
    seen.add(output.type)
  }
  return 'stop'
}

function toolOpening({ id, name, form }: Extract<Output, { type: 'tool-start' }>): string {
  return `${JSON.stringify({ id, type: form }).slice(0, -1)},"${form}":{"name":${JSON.stringify(name)},"${inputField(form)}":"`
}

function inputField(form: 'function' | 'custom'): string {
  return form === 'function' ? 'arguments' : 'input'
}

function envelope({ id, created, model }: ChatHead, suffix: '' | '.chunk'): Record<string, unknown> {
  return { id, object: `chat.completion${suffix}`, created, model, system_fingerprint: 'sandbox' }
}

function usageOf(meter: Meter, quirks: ChatQuirks): unknown {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = meter
  const figures = [promptTokens, completionTokens, promptTokens + completionTokens, cachedTokens, reasoningTokens]
  const [prompt_tokens, completion_tokens, total_tokens, cached_tokens, reasoning_tokens] = figures.map((figure) => {
    if (quirks.usage === 'zero') return 0
    if (quirks.usage === 'negative') return -figure - 1
    if (quirks.usage === 'huge') return 1e300
    return quirks.usage === 'string' ? String(figure) : figure
  })
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens,
    prompt_tokens_details: { cached_tokens, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens, audio_tokens: 0 },
  }
}
