// Turns as messages for an upstream: results right behind the calls that they answer, reasoning where the service wants
// them back.

import { callId, shortHash, type ToolNames } from '../../../canonical/encoding/tool-names.ts'
import { answeredTurns } from '../../../canonical/encoding/turns.ts'
import { put, unsupported } from '../../../canonical/reading.ts'
import type {
  CallPart,
  CanonicalRequest,
  MediaPart,
  Part,
  ReasoningPart,
  ResultPart,
  Turn,
} from '../../../canonical/request.ts'
import type { ChatService } from '../../chat-service.ts'
import type { Target } from '../../text-dialect.ts'
import type { WrittenCall, WrittenMessage, WrittenPart, WrittenTextPart } from '../wire.ts'
import { encodeMedia } from './encode-media.ts'

type Context = { target: Target; names: ToolNames; service: ChatService }

export function encodeTurns(request: CanonicalRequest, context: Context): WrittenMessage[] {
  const { service } = context
  const texts = request.instructions.map(({ text }): WrittenTextPart => ({ type: 'text', text }))
  const messages: WrittenMessage[] = []
  if (texts.length > 0) messages.push({ role: service.instructions, content: plain(texts) })
  for (const turn of answeredTurns(mergedCalls(request.turns), context.target.warn)) {
    if (turn.role === 'assistant') addAssistant(messages, turn, context)
    else if (turn.role === 'system') addSystem(messages, turn, context)
    else addUser(messages, turn, context)
  }
  return messages
}

/** Servers of the first hour take nothing but a string. */
function plain(texts: WrittenTextPart[]): string | WrittenTextPart[] {
  const [only] = texts
  return only !== undefined && texts.length === 1 ? only.text : texts
}

/** Assistant's turns in a row that belong to one answer: dialects of items have one for each piece of reasoning and each call. */
function mergedCalls(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = []
  for (const turn of turns) {
    const last = merged.at(-1)
    const isOneAnswer =
      turn.role === 'assistant' && last?.role === 'assistant' && (hasCall(turn) || hasCall(last) || isReasoning(last))
    if (isOneAnswer) merged[merged.length - 1] = { ...last, parts: [...last.parts, ...turn.parts] }
    else merged.push(turn)
  }
  return merged
}

const hasCall = ({ parts }: Turn): boolean => parts.some((part) => part.type === 'call')

const isReasoning = ({ parts }: Turn): boolean =>
  parts.length > 0 && parts.every((part) => part.type === 'reasoning' || part.type === 'redacted')

function addSystem(messages: WrittenMessage[], { parts }: Turn, { target, service }: Context): void {
  const texts = parts.flatMap((part): WrittenTextPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }]
    if (part.type === 'media') throw unsupported(part.at, 'Instructions for the upstream of this model are text only.')
    target.warn('turns', 'dropped')
    return []
  })
  if (texts.length > 0) messages.push({ role: service.instructions, content: plain(texts) })
}

function addAssistant(messages: WrittenMessage[], turn: Turn, context: Context): void {
  const { target, service } = context
  let text: string | undefined
  let refusal: string | undefined
  let reasoning: string | undefined
  const calls: WrittenCall[] = []
  /** A signature that another dialect had to put into reasoning of its own: it belongs to the call that follows. */
  let carried: string | undefined
  for (const part of turn.parts) {
    if (part.type === 'text') text = (text ?? '') + part.text
    else if (part.type === 'refusal') refusal = (refusal ?? '') + part.text
    else if (part.type === 'reasoning') {
      reasoning = (reasoning ?? '') + textOf(part, target)
      carried = part.text === '' ? part.signature : undefined
    } else if (part.type === 'call') {
      calls.push(encodeCall(part, part.signature ?? carried, context))
      carried = undefined
    } else if (part.type === 'media')
      throw unsupported(part.at, 'The upstream of this model takes no media of its own.')
    else if (part.type === 'foreign') target.warn('turns', 'dropped')
  }
  const isEmpty = text === undefined && refusal === undefined && calls.length === 0
  if (reasoning && (service.reasoning === 'rejected' || isEmpty)) target.warn('pastReasoning', 'dropped')
  if (isEmpty && turn.parts.length > 0) return
  if (reasoning === undefined && service.reasoning === 'demanded' && calls.length > 0) reasoning = ''
  const message: WrittenAssistant = { role: 'assistant', content: text ?? (isEmpty ? '' : null) }
  if (service.reasoning !== 'rejected') put(message, 'reasoning_content', reasoning)
  put(message, 'refusal', refusal)
  if (calls.length > 0) message.tool_calls = calls
  put(message, 'name', turn.name)
  messages.push(message)
}

/** A client that carries no text has it sealed. */
const textOf = ({ text, sealedText }: ReasoningPart, { unseal }: Target): string =>
  text !== '' || sealedText === undefined ? text : (unseal(sealedText) ?? '')

type WrittenAssistant = Extract<WrittenMessage, { role: 'assistant' }>
type WrittenUser = Extract<WrittenMessage, { role: 'user' }>

function encodeCall(part: CallPart, sealed: string | undefined, { target, names, service }: Context): WrittenCall {
  const id = sentId(part.id, service)
  const name = names.sent(part.name)
  const signature = sealed === undefined ? undefined : target.unseal(sealed)
  const signed = signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }
  if (part.custom && service.customTools) {
    return { id, type: 'custom', custom: { name, input: part.arguments }, ...signed }
  }
  // Empty is how a model says that there are none; as the text of a call it is no JSON, and some services parse it.
  const plain = part.arguments === '' ? '{}' : part.arguments
  const text = part.custom ? JSON.stringify({ input: part.arguments }) : plain
  return { id, type: 'function', function: { name, arguments: text }, ...signed }
}

/** The same id always becomes the same one, so that a call and its result still meet. */
function sentId(id: string, { callIds }: ChatService): string {
  if (callIds === undefined) return callId(id)
  return /^[A-Za-z0-9]{9}$/.test(id) ? id : shortHash(id).slice(-9)
}

function addUser(messages: WrittenMessage[], turn: Turn, context: Context): void {
  const shown: WrittenPart[] = []
  for (const part of turn.parts) {
    if (part.type !== 'result') continue
    const id = sentId(part.callId, context.service)
    messages.push(encodeResult(part, id))
    const media = part.parts.filter((inner): inner is MediaPart => inner.type === 'media')
    if (media.length === 0) continue
    shown.push({ type: 'text', text: `[output of call ${id}]` })
    shown.push(...media.flatMap((inner) => encodeMedia(inner, context.target)))
  }
  if (shown.length > 0) messages.push({ role: 'user', content: shown })
  const parts: WrittenPart[] = []
  for (const part of turn.parts) addUserPart(parts, part, context.target)
  if (parts.length === 0) return
  const message: WrittenUser = { role: 'user', content: plainParts(parts) }
  put(message, 'name', turn.name)
  messages.push(message)
}

function plainParts(parts: WrittenPart[]): string | WrittenPart[] {
  const [only] = parts
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

function addUserPart(parts: WrittenPart[], part: Part, target: Target): void {
  if (part.type === 'text' || part.type === 'refusal') parts.push({ type: 'text', text: part.text })
  else if (part.type === 'media') parts.push(...encodeMedia(part, target))
  else if (part.type === 'foreign') target.warn('turns', 'dropped')
}

/** This dialect's results are text: a failure says so in words, and media follow in a message of their own. */
function encodeResult({ parts, isError }: ResultPart, id: string): WrittenMessage {
  const texts = parts.flatMap((part): WrittenTextPart[] =>
    part.type === 'text' ? [{ type: 'text', text: part.text }] : [],
  )
  if (texts.length === 0) texts.push({ type: 'text', text: parts.length === 0 ? '' : '[image follows]' })
  const [first, ...others] = texts
  const marked = isError && first !== undefined ? [{ ...first, text: `ERROR: ${first.text}` }, ...others] : texts
  return { role: 'tool', tool_call_id: id, content: plain(marked) }
}
