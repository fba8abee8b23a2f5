// The input items of a responses request: validated as by a real service, and decoded into the neutral form.

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
import { isObject, type Json, textOr } from '../../request/fields.ts'
import type { Conversation } from '../../request/sandbox-request.ts'
import { readContent } from './parts/content.ts'

const ROLES = ['user', 'assistant', 'system', 'developer']
/** Items of tools that the service itself runs: they may be sent back in a history. */
const HOSTED_ITEM =
  /^(?:\w+_call(?:_output)?|mcp_list_tools|mcp_approval_(?:request|response)|compaction(?:_trigger)?|tool_search_output|additional_tools|program(?:_output)?)$/
const CALLS = ['function_call', 'custom_tool_call']
const OUTPUTS = ['function_call_output', 'custom_tool_call_output']

/** Calls without an output so far: call id -> tool name. */
type Open = Map<string, string>

export function readTurns({ input, instructions }: Json): Conversation {
  const conversation = openConversation()
  if (typeof instructions === 'string') addSystem(conversation, instructions)
  if (input === undefined || input === null) throw badRequest("Missing required parameter: 'input'.", 'input')
  if (typeof input === 'string') {
    conversation.roles.push('user')
    addUser(conversation, input, [])
    return conversation
  }
  if (!Array.isArray(input)) throw badRequest("Invalid type for 'input': expected a string or an array.", 'input')
  if (input.length === 0) throw badRequest("Invalid 'input': expected at least one item.", 'input')
  const open: Open = new Map()
  input.forEach((item: unknown, index) => {
    readItem(item, `input[${index}]`, conversation, open)
    checkFollowed(item, input[index + 1], `input[${index}]`)
  })
  checkAnswered(open)
  return conversation
}

function readItem(item: unknown, path: string, to: Conversation, open: Open): void {
  if (!isObject(item)) throw badRequest(`Invalid type for '${path}': expected an object.`, path)
  const type = item.type ?? (item.role === undefined ? undefined : 'message')
  if (typeof type !== 'string') throw badRequest(`Missing required parameter: '${path}.type'.`, `${path}.type`)
  if (type === 'message') readMessage(item, path, to, open)
  else if (CALLS.includes(type)) readCall(item, path, to, open)
  else if (OUTPUTS.includes(type)) readOutput(item, path, to, open)
  else if (type === 'reasoning') readReasoning(item, path, to)
  else if (type === 'item_reference') throw badRequest(`Item with id '${String(item.id)}' not found.`, `${path}.id`)
  else if (!HOSTED_ITEM.test(type)) throw badRequest(`Invalid value: '${type}'.`, `${path}.type`, 'invalid_value')
}

function readMessage(item: Json, path: string, to: Conversation, open: Open): void {
  const { role } = item
  if (typeof role !== 'string' || !ROLES.includes(role))
    throw badRequest(`Invalid value for '${path}.role': expected one of ${ROLES.join(', ')}.`, `${path}.role`)
  const side = role === 'assistant' ? 'output' : 'input'
  const { text, attachments } = readContent(item.content, side, `${path}.content`)
  to.roles.push(role)
  if (role === 'system' || role === 'developer') addSystem(to, text)
  else if (role === 'assistant') addContent(to, text, attachments)
  else {
    checkAnswered(open)
    addUser(to, text, attachments)
  }
}

function checkAnswered(open: Open): void {
  const [unanswered] = open.keys()
  if (unanswered !== undefined) throw badRequest(`No tool output found for function call ${unanswered}.`, 'input')
}

function readCall(item: Json, path: string, to: Conversation, open: Open): void {
  const { call_id: id, name } = item
  const field = item.type === 'function_call' ? 'arguments' : 'input'
  const input = item[field]
  for (const [key, value] of Object.entries({ call_id: id, name, [field]: input })) {
    if (typeof value !== 'string') throw badRequest(`Missing required parameter: '${path}.${key}'.`, `${path}.${key}`)
  }
  to.toolResults = []
  open.set(String(id), String(name))
  addCall(to, String(name), String(input))
}

function readOutput(item: Json, path: string, to: Conversation, open: Open): void {
  const id = item.call_id
  if (typeof id !== 'string') throw badRequest(`Missing required parameter: '${path}.call_id'.`, `${path}.call_id`)
  const name = open.get(id)
  if (name === undefined) throw badRequest(`No tool call found for function call output with call_id ${id}.`, 'input')
  open.delete(id)
  const { text, attachments } = readContent(item.output, 'input', `${path}.output`)
  addResult(to, { name, text, failed: false })
  addContent(to, '', attachments)
}

function readReasoning(item: Json, path: string, to: Conversation): void {
  if (!Array.isArray(item.summary))
    throw badRequest(`Missing required parameter: '${path}.summary'.`, `${path}.summary`)
  addReasoning(to, {
    signature: textOr(item.encrypted_content, undefined),
    path: `${path}.encrypted_content`,
    message: `The encrypted content for item ${String(item.id)} could not be verified.`,
    code: 'invalid_encrypted_content',
  })
}

/** Reasoning belongs to the output that follows it, and is invalid without it. */
function checkFollowed(item: unknown, next: unknown, path: string): void {
  if (!isObject(item) || item.type !== 'reasoning') return
  const follows = isObject(next) && (next.role === 'assistant' || next.type === 'reasoning' || isCall(next.type))
  if (follows) return
  const id = String(item.id)
  throw badRequest(`Item '${id}' of type 'reasoning' was provided without its required following item.`, path)
}

function isCall(type: unknown): boolean {
  return typeof type === 'string' && type.endsWith('_call')
}
