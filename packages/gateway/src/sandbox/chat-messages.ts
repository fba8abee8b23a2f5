// The messages of a chat request: checked as a real service does, and read into what the plan needs.
import type { Attachment, ToolResult } from './ask.ts'
import { isObject, type Json } from './chat-parameters.ts'
import { badRequest } from './errors.ts'

export type Conversation = {
  roles: string[]
  system: string
  lastUser: string
  toolResults: ToolResult[]
  attachments: Attachment[]
  /** All text of all messages. */
  texts: string[]
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function']
type Content = { text: string; attachments: Attachment[] }

export function readMessages(value: unknown): Conversation {
  if (value === undefined) throw badRequest("Missing required parameter: 'messages'.", 'messages')
  if (!Array.isArray(value)) throw badRequest("Invalid type for 'messages': expected an array.", 'messages')
  if (value.length === 0) throw badRequest("Invalid 'messages': expected at least one message.", 'messages')
  const conversation: Conversation = {
    roles: [],
    system: '',
    lastUser: '',
    toolResults: [],
    attachments: [],
    texts: [],
  }
  /** Calls that still wait for their result: id -> tool name. */
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
  const content = readContent(message, role, `${path}.content`)
  conversation.roles.push(role)
  conversation.texts.push(content.text)
  conversation.attachments.push(...content.attachments)
  if (role === 'system' || role === 'developer') {
    conversation.system += `${conversation.system === '' ? '' : '\n'}${content.text}`
  }
  if (role === 'tool') readResult(message, content.text, path, conversation, open)
  else if (open.size > 0) throw badRequest(`Tool calls before '${path}' were not answered by tool messages.`, path)
  else if (role === 'function') conversation.toolResults.push({ name: String(message.name), text: content.text })
  else conversation.toolResults = []
  if (role === 'user') conversation.lastUser = content.text
  if (role === 'assistant') readCalls(message, path, conversation, open)
}

function readResult(message: Json, text: string, path: string, to: Conversation, open: Map<string, string>): void {
  const id = message.tool_call_id
  if (typeof id !== 'string')
    throw badRequest(`Missing required parameter: '${path}.tool_call_id'.`, `${path}.tool_call_id`)
  const name = open.get(id)
  if (name === undefined) throw badRequest(`No preceding tool call has the id '${id}'.`, `${path}.tool_call_id`)
  open.delete(id)
  to.toolResults.push({ name, text })
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
    conversation.texts.push(body.name, input)
  })
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
    if (type === 'image_url' && isObject(inner) && typeof inner.url === 'string') return readAddress('image', inner.url)
    if (type === 'input_audio' && isObject(inner) && typeof inner.data === 'string') {
      return { kind: 'audio', label: String(inner.format), bytes: base64Bytes(inner.data) }
    }
    if (type === 'file' && isObject(inner)) return readFile(inner)
  }
  throw badRequest(`Invalid content part at '${path}' for the role '${role}'.`, path)
}

function readFile(file: Json): Attachment {
  const name = typeof file.filename === 'string' ? `${file.filename} ` : ''
  if (typeof file.file_data !== 'string') return { kind: 'file', label: `${name}by id`, bytes: undefined }
  const read = readAddress('file', file.file_data)
  return { ...read, label: `${name}${read.label}` }
}

/** A data URL tells its type and size; any other address is shown without its query, which may hold a signature. */
function readAddress(kind: Attachment['kind'], address: string): Attachment {
  const data = /^data:([^;,]{0,100})[^,]{0,200},/.exec(address)
  if (data) return { kind, label: data[1] || 'text/plain', bytes: base64Bytes(address.slice(data[0].length)) }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(address))
    return { kind, label: address.split(/[?#]/, 1)[0] ?? '', bytes: undefined }
  return { kind, label: 'base64', bytes: base64Bytes(address) }
}

function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.max(Math.floor((data.length * 3) / 4) - padding, 0)
}
