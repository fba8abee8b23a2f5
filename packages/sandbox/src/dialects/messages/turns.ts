// The turns of a messages request: validated as by a real service, and decoded into the neutral form.

import { addContent, addReasoning, addSystem, addUser, openConversation } from '../../request/conversation.ts'
import { badRequest } from '../../request/errors.ts'
import { isObject, type Json, textOr } from '../../request/fields.ts'
import type { Conversation } from '../../request/sandbox-request.ts'
import { isMedia, readMedia, readText, requireText } from './parts/blocks.ts'
import { type Calls, checkAnswered, noCalls, readResult, readToolUse } from './parts/calls.ts'

const ROLES = ['user', 'assistant', 'system']
/** Blocks of tools that the service itself runs: they may be sent back in a history. */
const SERVER_BLOCK = /^(?:server_tool_use|mcp_tool_use|container_upload|search_result|\w+_tool_result)$/

export function readTurns(body: Json): Conversation {
  const { messages } = body
  if (messages === undefined) throw badRequest('Field required', 'messages')
  if (!Array.isArray(messages)) throw badRequest('Input should be a valid list', 'messages')
  if (messages.length === 0) throw badRequest('at least one message is required', 'messages')
  const conversation = openConversation()
  if (body.system !== undefined && body.system !== null) addSystem(conversation, readText(body.system, 'system'))
  let calls: Calls = noCalls()
  messages.forEach((message: unknown, index) => {
    calls = readTurn(message, `messages.${index}`, conversation, calls)
  })
  checkAnswered(calls, `messages.${messages.length - 1}`)
  return conversation
}

function readTurn(message: unknown, path: string, to: Conversation, calls: Calls): Calls {
  if (!isObject(message)) throw badRequest('Input should be a valid dictionary', path)
  const { role, content } = message
  if (typeof role !== 'string' || !ROLES.includes(role))
    throw badRequest(`Input should be 'user' or 'assistant'`, `${path}.role`)
  to.roles.push(role)
  if (role === 'system') {
    if (calls.open.size > 0) checkAnswered(calls, path)
    addSystem(to, readText(content, `${path}.content`))
    return calls
  }
  const blocks = blocksOf(content, `${path}.content`)
  return role === 'user' ? readUser(blocks, path, to, calls) : readAssistant(blocks, path, to, calls)
}

function blocksOf(content: unknown, path: string): readonly unknown[] {
  if (content === undefined || content === null) throw badRequest('Field required', path)
  if (typeof content === 'string') return [{ type: 'text', text: requireText(content, path) }]
  if (!Array.isArray(content)) throw badRequest('Input should be a valid string or list', path)
  return content
}

function readUser(blocks: readonly unknown[], path: string, to: Conversation, calls: Calls): Calls {
  const texts: string[] = []
  let said = false
  blocks.forEach((block, index) => {
    const at = `${path}.content.${index}`
    const type = isObject(block) ? block.type : undefined
    if (isObject(block) && type === 'tool_result') {
      if (said) throw badRequest('`tool_result` blocks must come before other content', at)
      readResult(block, at, to, calls)
      return
    }
    said = true
    if (isObject(block) && type === 'text') texts.push(requireText(block.text, `${at}.text`))
    else if (isObject(block) && isMedia(type)) addContent(to, '', readMedia(block, at))
    else if (!isObject(block) || !isServerBlock(type)) throw wrongTag(type, at)
  })
  checkAnswered(calls, path)
  if (blocks.length === 0) throw badRequest('user messages must have non-empty content', path)
  if (said) addUser(to, texts.join('\n'), [])
  return noCalls()
}

function readAssistant(blocks: readonly unknown[], path: string, to: Conversation, calls: Calls): Calls {
  checkAnswered(calls, path)
  to.toolResults = []
  const made = noCalls()
  blocks.forEach((block, index) => {
    const at = `${path}.content.${index}`
    const type = isObject(block) ? block.type : undefined
    if (!isObject(block)) throw wrongTag(type, at)
    if (type === 'text') addContent(to, requireText(block.text, `${at}.text`), [])
    else if (type === 'tool_use') readToolUse(block, at, to, made)
    else if (type === 'thinking') readThinking(block, at, to)
    else if (type === 'redacted_thinking') {
      addReasoning(to, { signature: textOr(block.data, ''), path: `${at}.data`, message: 'Invalid `data` in block' })
    } else if (!isServerBlock(type)) throw wrongTag(type, at)
  })
  return made
}

/** The signature covers the text: both must be sent back unmodified. */
function readThinking(block: Json, path: string, to: Conversation): void {
  const { thinking, signature } = block
  if (typeof thinking !== 'string') throw badRequest('Field required', `${path}.thinking.thinking`)
  if (typeof signature !== 'string') throw badRequest('Field required', `${path}.thinking.signature`)
  addReasoning(to, {
    signature: signature,
    covered: thinking,
    path,
    message: 'Invalid `signature` in `thinking` block',
  })
}

function isServerBlock(type: unknown): boolean {
  return typeof type === 'string' && SERVER_BLOCK.test(type)
}

function wrongTag(type: unknown, path: string) {
  return badRequest(`Input tag '${String(type)}' found using 'type' does not match any of the expected tags`, path)
}
