// Canonical instructions and turns -> the input items of a request.

import { callId, type ToolNames } from '../../../canonical/encoding/tool-names.ts'
import { answeredTurns, withName } from '../../../canonical/encoding/turns.ts'
import { warnOfUnsigned } from '../../../canonical/encoding/unsupported-fields.ts'
import type {
  CallPart,
  CanonicalRequest,
  Part,
  ReasoningPart,
  ResultPart,
  TextPart,
  Turn,
} from '../../../canonical/request.ts'
import type { Target } from '../../text-dialect.ts'
import { encodeMedia, type InputPart } from './encode-media.ts'

type Item = Readonly<Record<string, unknown>>

export type EncodedInput = { instructions: string | undefined; input: Item[] }

export function encodeInput(request: CanonicalRequest, names: ToolNames, target: Target): EncodedInput {
  const texts = request.instructions.map(({ text }) => text)
  const isJsonMode = request.format.type === 'json'
  // The vendor rejects JSON mode unless the input mentions JSON.
  if (isJsonMode && !request.from.mentionsJson) texts.push('Answer with a JSON object.')
  const items = writeTurns(request, names, target)
  // One plain text goes into `instructions`, which the vendor does not search for the word. There must be some input.
  if (texts.length === 1 && items.length > 0 && !isJsonMode) return { instructions: texts[0], input: items }
  const developer = texts.map((text): Item => ({ type: 'message', role: 'developer', content: text }))
  return { instructions: undefined, input: [...developer, ...items] }
}

function writeTurns(request: CanonicalRequest, names: ToolNames, { warn, unseal }: Target): Item[] {
  const items: Item[] = []
  const turns = answeredTurns(request.turns, warn)
  /** Calls of custom tools: their results are items of another type. */
  const customs = new Set<string>()
  let pending: InputPart[] = []
  let role = 'user'

  const isPlain = (): boolean => pending.length === 1 && pending[0]?.type === 'input_text'
  function flush(): void {
    if (pending.length > 0) {
      items.push({ type: 'message', role, content: isPlain() ? pending[0]?.text : pending })
    }
    pending = []
  }

  function writePart(part: Part, turn: Turn): void {
    switch (part.type) {
      case 'text':
        if (turn.role !== 'assistant') pending.push({ type: 'input_text', text: part.text })
        else if (part.text !== '') items.push({ type: 'message', role: 'assistant', content: part.text })
        break
      case 'refusal': {
        const refusal = { type: 'refusal', refusal: part.text }
        if (turn.role !== 'assistant') pending.push({ type: 'input_text', text: part.text })
        else items.push({ type: 'message', role: 'assistant', content: [refusal] })
        break
      }
      case 'media':
        // An assistant has no images here: the model sees it as shown by the user.
        if (turn.role === 'assistant') {
          warn('turns', 'changed')
          pending.push({ type: 'input_text', text: '[made by the assistant]' })
        }
        pending.push(...encodeMedia(part, request.from, warn))
        if (turn.role === 'assistant') flush()
        break
      case 'call':
        if (part.custom) customs.add(part.id)
        // Only the model that signed the call can use the signature.
        if (part.signature !== undefined) warn('pastReasoning', 'dropped')
        items.push(writeCall(part, names))
        break
      case 'result':
        flush()
        items.push(writeResult(part, customs.has(part.callId), request.from, warn))
        break
      case 'reasoning':
        writeReasoning(part, part.signature)
        break
      case 'redacted':
        writeReasoning({ text: '', style: 'summary' }, part.data)
        break
      case 'foreign':
        warn('turns', 'dropped')
        break
    }
  }

  /** Reasoning is sent back only with the signature of its own vendor; other reasoning would be rejected. */
  function writeReasoning({ text, style }: Pick<ReasoningPart, 'text' | 'style'>, signature: string | undefined): void {
    const encrypted = signature === undefined ? undefined : unseal(signature)
    if (encrypted === undefined) return
    const hasText = text !== ''
    items.push({
      type: 'reasoning',
      summary: style === 'summary' && hasText ? [{ type: 'summary_text', text }] : [],
      ...(style === 'full' && hasText ? { content: [{ type: 'reasoning_text', text }] } : {}),
      encrypted_content: encrypted,
    })
  }

  for (const turn of turns) {
    role = turn.role === 'system' ? 'developer' : 'user'
    warnOfUnsigned(turn.parts, warn)
    for (const part of named(turn, warn)) writePart(part, turn)
    flush()
  }
  const last = request.turns.at(-1)
  // The caller wants these words continued; here they are an answer like any other.
  if (last?.role === 'assistant' && last.parts.at(-1)?.type === 'text') warn('turns', 'changed')
  return items
}

/** There is no place for a speaker's name but the text. */
function named({ name, parts }: Turn, warn: Target['warn']): readonly Part[] {
  if (name === undefined || name === '') return parts
  warn('name', 'changed')
  return withName(parts, name)
}

function writeCall(part: CallPart, names: ToolNames): Item {
  const common = { call_id: callId(part.id), name: names.sent(part.name) }
  if (part.custom) return { type: 'custom_tool_call', ...common, input: part.arguments }
  return { type: 'function_call', ...common, arguments: part.arguments === '' ? '{}' : part.arguments }
}

function writeResult(part: ResultPart, custom: boolean, from: CanonicalRequest['from'], warn: Target['warn']): Item {
  const parts = part.isError === true ? asError(part.parts) : part.parts
  const [first] = parts
  const isPlain = parts.length === 0 || (parts.length === 1 && first?.type === 'text')
  const output = isPlain
    ? first?.type === 'text'
      ? first.text
      : ''
    : parts.flatMap((inner) =>
        inner.type === 'text' ? [{ type: 'input_text', text: inner.text }] : encodeMedia(inner, from, warn),
      )
  return { type: custom ? 'custom_tool_call_output' : 'function_call_output', call_id: callId(part.callId), output }
}

/** No flag for it in this dialect: the text says so. */
function asError(parts: ResultPart['parts']): ResultPart['parts'] {
  const at = parts.findIndex((part) => part.type === 'text')
  const marked = (text: string): TextPart => ({ type: 'text', text: `ERROR: ${text}` })
  if (at < 0) return [marked(''), ...parts]
  return parts.map((part, index) => (index === at && part.type === 'text' ? marked(part.text) : part))
}
