// A client's input: a text or a list of items -> instructions and turns. Items of one speaker in a row become one turn:
// what the model reasoned, said and called belongs together, and other dialects say it in one message.

import { sniffMime } from '../../../canonical/media.ts'
import { asArray, asObject, asString, below, type Json, readString, wrong } from '../../../canonical/reading.ts'
import type { InstructionText, MediaPart, Part, ResultPart, TextPart, Turn } from '../../../canonical/request.ts'
import { decodeCarried } from '../reply/reasoning-carrier.ts'
import { type ContentPart, decodeContent } from './decode-content.ts'
import { type Change, namespaced } from './decode-tools.ts'
import { isReasoningReference, isReference } from './stored-state.ts'

export type DecodedInput = {
  instructions: InstructionText[]
  turns: Turn[]
  changes: Change[]
}

type OpenTurn = { role: Turn['role']; parts: Part[]; isMessage: boolean }

export function decodeInput(input: unknown, instructions: string | undefined): DecodedInput {
  const leading: InstructionText[] = instructions === undefined || instructions === '' ? [] : [{ text: instructions }]
  const turns: OpenTurn[] = []
  const changes: Change[] = []
  if (input === undefined || input === null) return { instructions: leading, turns, changes }
  if (typeof input === 'string') {
    return { instructions: leading, turns: [{ role: 'user', parts: [{ type: 'text', text: input }] }], changes }
  }
  const items = asArray(input, 'input')
  for (let index = 0; index < items.length; index++) {
    const at = `input[${index}]`
    const item = asObject(items[index], at)
    if (item.type === 'additional_tools' || item.type === 'configuration_update') changes.push({ item, at })
    else readItem(item, at, leading, turns)
  }
  return { instructions: leading, turns: turns.map(({ role, parts }) => ({ role, parts })), changes }
}

function readItem(item: Json, at: string, leading: InstructionText[], turns: OpenTurn[]): void {
  if (isReasoningReference(item)) return
  const type = readString(item, 'type', at) ?? (isReference(item) ? 'item_reference' : 'message')
  switch (type) {
    case 'message':
      readMessage(item, at, leading, turns)
      return
    case 'function_call':
    case 'custom_tool_call':
      say(turns, 'assistant', readCall(item, at, type === 'custom_tool_call'))
      return
    case 'function_call_output':
    case 'custom_tool_call_output':
      say(turns, 'user', ...readOutput(item, at))
      return
    case 'reasoning':
      readReasoning(item, at, turns)
      return
    default:
      // What a hosted tool did, or what the client did for one; a reference to something stored.
      // A compaction stands for all that was said before it.
      say(turns, /_(output|response)$/.test(type) ? 'user' : 'assistant', {
        ...FOREIGN,
        ...(type.startsWith('compaction') ? { isEssential: true } : {}),
        what: type,
        at,
        ...madeImage(item, at),
      })
  }
}

const FOREIGN = { type: 'foreign' } as const

function madeImage({ type, result, status }: Json, at: string): { image?: MediaPart } {
  if (type !== 'image_generation_call' || typeof result !== 'string' || result === '' || status === 'failed') return {}
  const source = { kind: 'inline', mime: sniffMime(result) ?? 'image/png', data: result } as const
  return { image: { type: 'media', media: 'image', source, at } }
}

/** Adds to the speaker's turn. A message of a user stands alone; so do outputs, next to one. */
function say(turns: OpenTurn[], role: Turn['role'], ...parts: Part[]): void {
  const last = turns.at(-1)
  if (last?.role === role && !(role === 'user' && last.isMessage)) last.parts.push(...parts)
  else turns.push({ role, parts, isMessage: false })
}

const ROLES = new Map<unknown, Turn['role']>([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'system'],
])

function readMessage(item: Json, at: string, leading: InstructionText[], turns: OpenTurn[]): void {
  const role = ROLES.get(item.role)
  if (role === undefined) {
    const path = below(at, 'role')
    throw wrong(path, `${path} must be one of ${[...ROLES.keys()].join(', ')}`)
  }
  const parts = decodeContent(item.content, below(at, 'content'))
  if (role === 'assistant') say(turns, role, ...parts)
  else if (role === 'system' && turns.length === 0 && parts.every(isText)) leading.push(...parts.map(instructionOf))
  else turns.push({ role, parts, isMessage: true })
}

const isText = (part: ContentPart): part is TextPart => part.type === 'text'

const instructionOf = ({ text, cache }: TextPart): InstructionText => ({
  text,
  ...(cache === undefined ? {} : { cache }),
})

function readCall(item: Json, at: string, custom: boolean): Part {
  const id = asString(item.call_id, below(at, 'call_id'))
  const name = asString(item.name, below(at, 'name'))
  const field = custom ? 'input' : 'arguments'
  const text = asString(item[field], below(at, field))
  return { type: 'call', id, name: namespaced(readString(item, 'namespace', at), name), arguments: text, custom }
}

function readOutput(item: Json, at: string): Part[] {
  const parts = decodeContent(item.output, below(at, 'output'))
  const shown = parts.filter((part): part is TextPart | MediaPart => part.type === 'text' || part.type === 'media')
  const result: ResultPart = { type: 'result', callId: asString(item.call_id, below(at, 'call_id')), parts: shown, at }
  return [result, ...parts.filter((part) => part.type === 'foreign')]
}

function readReasoning(item: Json, at: string, turns: OpenTurn[]): void {
  const summary = reasoningIn(item.summary, below(at, 'summary'))
  const full = reasoningIn(item.content, below(at, 'content'))
  const encrypted = readString(item, 'encrypted_content', at) ?? ''
  const carried = encrypted === '' ? undefined : decodeCarried(encrypted)
  if (carried?.of === 'previous') {
    signPrevious(turns.at(-1), carried.value)
    return
  }
  if (carried?.of === 'redacted') {
    say(turns, 'assistant', { type: 'redacted', data: carried.value })
    return
  }
  const signed = carried === undefined ? {} : { [carried.of === 'text' ? 'sealedText' : 'signature']: carried.value }
  const isRepeated = summary === full
  if (summary !== '' && full !== '' && !isRepeated)
    say(turns, 'assistant', { type: 'reasoning', text: summary, style: 'summary' })
  const style = full === '' ? 'summary' : 'full'
  const text = full === '' ? summary : full
  if (text !== '' || carried !== undefined) say(turns, 'assistant', { type: 'reasoning', text, style, ...signed })
}

function reasoningIn(value: unknown, at: string): string {
  if (value === undefined || value === null) return ''
  const texts = asArray(value, at).map((part, index) => {
    const path = `${at}[${index}]`
    return asString(asObject(part, path).text, below(path, 'text'))
  })
  return texts.filter((text) => text !== '').join('\n\n')
}

function signPrevious(turn: OpenTurn | undefined, signature: string): void {
  const last = turn?.parts.at(-1)
  if (turn?.role !== 'assistant' || last === undefined) return
  if (last.type === 'call' || last.type === 'text') turn.parts[turn.parts.length - 1] = { ...last, signature }
}
