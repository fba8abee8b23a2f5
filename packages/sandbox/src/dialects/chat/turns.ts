// The messages of a chat request: validated as by a real service, and decoded into the neutral form.

import { readData, readUrl, storedFile } from '../../request/attachments.ts'
import {
  addCall,
  addContent,
  addReasoning,
  addResult,
  addSystem,
  addUser,
  openConversation,
} from '../../request/conversation.ts'
import { badRequest } from '../../request/errors.ts'
import { isObject, type Json } from '../../request/fields.ts'
import type { Attachment, Conversation } from '../../request/sandbox-request.ts'

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function']
type Content = { text: string; attachments: Attachment[] }

export function readMessages(value: unknown): Conversation {
  if (value === undefined) throw badRequest("Missing required parameter: 'messages'.", 'messages')
  if (!Array.isArray(value)) throw badRequest("Invalid type for 'messages': expected an array.", 'messages')
  if (value.length === 0) throw badRequest("Invalid 'messages': expected at least one message.", 'messages')
  const conversation = openConversation()
  /** Calls without a result so far: id -> tool name. */
  const open = new Map<string, string>()
  value.forEach((message: unknown, index) => {
    readMessage(message, `messages[${index}]`, conversation, open)
  })
  const [unanswered] = open.keys()
  if (unanswered !== undefined) throw badRequest(`No tool message answers the tool call '${unanswered}'.`, 'messages')
  return conversation
}

function readMessage(message: unknown, path: string, conversation: Conversation, open: Map<string, string>): void {
  if (!isObject(message)) throw badRequest(`Invalid type for '${path}': expected an object.`, path)
  const { role } = message
  if (typeof role !== 'string' || !ROLES.includes(role)) {
    throw badRequest(`Invalid value for '${path}.role': expected one of ${ROLES.join(', ')}.`, `${path}.role`)
  }
  const { text, attachments } = readContent(message, role, `${path}.content`)
  conversation.roles.push(role)
  if (role === 'tool') readResult(message, text, path, conversation, open)
  else if (open.size > 0) throw badRequest(`Tool calls before '${path}' were not answered by tool messages.`, path)
  else if (role === 'function') addResult(conversation, { name: String(message.name), text, failed: false })
  else if (role === 'user') addUser(conversation, text, attachments)
  else if (role !== 'assistant') addSystem(conversation, text)
  else {
    conversation.toolResults = []
    addContent(conversation, text, attachments)
    readAssistant(message, path, conversation, open)
  }
}

function readAssistant(message: Json, path: string, conversation: Conversation, open: Map<string, string>): void {
  if (typeof message.reasoning_content === 'string' && message.reasoning_content !== '')
    addReasoning(conversation, { signature: undefined, path, message: '' })
  readCalls(message, path, conversation, open)
}

function readResult(message: Json, text: string, path: string, to: Conversation, open: Map<string, string>): void {
  const id = message.tool_call_id
  if (typeof id !== 'string')
    throw badRequest(`Missing required parameter: '${path}.tool_call_id'.`, `${path}.tool_call_id`)
  const name = open.get(id)
  if (name === undefined) throw badRequest(`No preceding tool call has the id '${id}'.`, `${path}.tool_call_id`)
  open.delete(id)
  addResult(to, { name, text, failed: false })
}

function readCalls(message: Json, path: string, conversation: Conversation, open: Map<string, string>): void {
  const calls = message.tool_calls
  if (calls === undefined || calls === null) return
  if (!Array.isArray(calls))
    throw badRequest(`Invalid type for '${path}.tool_calls': expected an array.`, `${path}.tool_calls`)
  calls.forEach((call: unknown, index) => {
    const at = `${path}.tool_calls[${index}]`
    const body = isObject(call) ? (call.type === 'custom' ? call.custom : call.function) : undefined
    if (!isObject(call) || typeof call.id !== 'string' || !isObject(body) || typeof body.name !== 'string') {
      throw badRequest(`Invalid '${at}': expected an id and a function with a name.`, at)
    }
    const input = body.arguments ?? body.input
    if (typeof input !== 'string') throw badRequest(`Invalid '${at}.function.arguments': expected a string.`, at)
    open.set(call.id, body.name)
    addCall(conversation, body.name, input)
    readSignature(call, body.name, at, conversation)
  })
}

/** The only convention for a signature in this dialect. */
function readSignature(call: Json, name: string, path: string, to: Conversation): void {
  const extra = isObject(call.extra_content) ? call.extra_content.google : undefined
  const signature = isObject(extra) ? extra.thought_signature : undefined
  if (typeof signature !== 'string') return
  const at = `${path}.extra_content.google.thought_signature`
  addReasoning(to, { signature, covered: name, path: at, message: `Corrupted thought signature at '${at}'.` })
}

function readContent(message: Json, role: string, path: string): Content {
  const { content } = message
  if (typeof content === 'string') return { text: content, attachments: [] }
  const called = message.tool_calls ?? message.function_call ?? message.refusal ?? message.audio
  const mayLack = role === 'function' || (role === 'assistant' && called !== undefined && called !== null)
  if (content === undefined || content === null) {
    if (mayLack) return { text: '', attachments: [] }
    throw badRequest(`Missing required parameter: '${path}'.`, path)
  }
  if (!Array.isArray(content)) throw badRequest(`Invalid type for '${path}': expected a string or an array.`, path)
  const texts: string[] = []
  const attachments: Attachment[] = []
  content.forEach((part: unknown, index) => {
    const read = readPart(part, role, `${path}[${index}]`)
    if (typeof read === 'string') texts.push(read)
    else attachments.push(read)
  })
  return { text: texts.join('\n'), attachments }
}

function readPart(part: unknown, role: string, path: string): string | Attachment {
  const type = isObject(part) ? part.type : undefined
  if (isObject(part) && type === 'text' && typeof part.text === 'string') return part.text
  if (isObject(part) && role === 'assistant' && type === 'refusal' && typeof part.refusal === 'string')
    return part.refusal
  if (isObject(part) && role === 'user') {
    const inner = typeof type === 'string' ? part[type] : undefined
    if (type === 'image_url' && isObject(inner) && typeof inner.url === 'string') return readUrl('image', inner.url)
    if (type === 'input_audio' && isObject(inner) && typeof inner.data === 'string') {
      return readData('audio', String(inner.format), inner.data)
    }
    if (type === 'file' && isObject(inner)) return readFile(inner)
  }
  throw badRequest(`Invalid content part at '${path}' for the role '${role}'.`, path)
}

function readFile(file: Json): Attachment {
  const name = typeof file.filename === 'string' ? `${file.filename} ` : ''
  if (typeof file.file_data !== 'string') return storedFile('file', name)
  const read = readUrl('file', file.file_data)
  return { ...read, label: `${name}${read.label}` }
}
