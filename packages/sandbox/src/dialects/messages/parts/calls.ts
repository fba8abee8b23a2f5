// Calls in assistant turns and their results in the turn after: each needs the other.

import { addCall, addContent, addResult } from '../../../request/conversation.ts'
import { badRequest } from '../../../request/errors.ts'
import { isObject, type Json } from '../../../request/fields.ts'
import type { Attachment, Conversation } from '../../../request/sandbox-request.ts'
import { isMedia, readMedia, requireText } from './blocks.ts'

/** Calls of the previous turn without a result so far: id -> tool name. */
export type Calls = { open: Map<string, string> }

export function noCalls(): Calls {
  return { open: new Map() }
}

export function readToolUse(block: Json, path: string, to: Conversation, calls: Calls): void {
  const { id, name, input } = block
  if (typeof id !== 'string') throw badRequest('Field required', `${path}.tool_use.id`)
  if (!/^[a-zA-Z0-9_-]+$/.test(id))
    throw badRequest("String should match pattern '^[a-zA-Z0-9_-]+$'", `${path}.tool_use.id`)
  if (typeof name !== 'string') throw badRequest('Field required', `${path}.tool_use.name`)
  if (!isObject(input)) throw badRequest('Input should be a valid dictionary', `${path}.tool_use.input`)
  if (calls.open.has(id)) throw badRequest('`tool_use` ids must be unique', path)
  calls.open.set(id, name)
  addCall(to, name, JSON.stringify(input))
}

export function readResult(block: Json, path: string, to: Conversation, calls: Calls): void {
  const id = block.tool_use_id
  if (typeof id !== 'string') throw badRequest('Field required', `${path}.tool_result.tool_use_id`)
  const name = calls.open.get(id)
  if (name === undefined) throw badRequest(`unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}`, path)
  calls.open.delete(id)
  const { text, attachments } = readContent(block.content, `${path}.tool_result.content`)
  addResult(to, { name, text, failed: block.is_error === true })
  addContent(to, '', attachments)
}

function readContent(content: unknown, path: string): { text: string; attachments: Attachment[] } {
  if (content === undefined || content === null) return { text: '', attachments: [] }
  if (typeof content === 'string') return { text: content, attachments: [] }
  if (!Array.isArray(content)) throw badRequest('Input should be a valid string or list', path)
  const texts: string[] = []
  const attachments: Attachment[] = []
  content.forEach((block: unknown, index) => {
    const at = `${path}.${index}`
    if (isObject(block) && block.type === 'text') texts.push(requireText(block.text, `${at}.text`))
    else if (isObject(block) && isMedia(block.type)) attachments.push(...readMedia(block, at))
    else if (!isObject(block) || (block.type !== 'search_result' && block.type !== 'tool_reference'))
      throw badRequest('does not match any of the expected tags', at)
  })
  return { text: texts.join('\n'), attachments }
}

export function checkAnswered({ open }: Calls, path: string): void {
  if (open.size === 0) return
  const ids = [...open.keys()].join(', ')
  throw badRequest(`\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}.`, path)
}
