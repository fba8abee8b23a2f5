// The contents of a generate-content request: validated as by a real service, and decoded into the neutral form.

import { addContent, addReasoning, addSystem, addUser, openConversation } from '../../request/conversation.ts'
import { badRequest } from '../../request/errors.ts'
import type { Json } from '../../request/fields.ts'
import type { Conversation } from '../../request/sandbox-request.ts'
import { type Calls, readCall, readResponses } from './parts/calls.ts'
import { type ReadContent, type ReadPart, readContent, readMedia } from './parts/content.ts'
import { readList } from './parts/fields.ts'

/** Documented values for histories from another service. */
const NO_SIGNATURES = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go'].map(standard)

type Turn = { role: 'user' | 'model'; parts: ReadPart[]; path: string }

export function readTurns({ contents, systemInstruction }: Json): Conversation {
  const conversation = openConversation()
  if (systemInstruction !== undefined) readSystem(systemInstruction, conversation)
  const list = readList(contents, 'contents')
  if (list.length === 0) throw badRequest('contents is not specified', 'contents')
  let calls: Calls = []
  for (const turn of mergedTurns(list, conversation)) {
    if (turn.role === 'model') calls = readModel(turn, conversation)
    else calls = readUser(turn, conversation, calls)
  }
  if (calls.length > 0)
    throw badRequest('Please ensure that a function call turn is followed by its responses.', 'contents')
  return conversation
}

function readSystem(value: unknown, to: Conversation): void {
  const { parts } = readContent(value, 'systemInstruction')
  const texts = parts.map(({ part, path }) => {
    if (typeof part.text !== 'string') throw badRequest('System instructions take text only.', path)
    return part.text
  })
  addSystem(to, texts.join('\n'))
}

/** Adjacent entries of one role are one turn: SDKs keep each chunk of a stream as an entry of its own. */
function mergedTurns(list: readonly unknown[], to: Conversation): Turn[] {
  const turns: Turn[] = []
  list.forEach((value, index) => {
    const path = `contents[${index}]`
    const content = readContent(value, path)
    const role = roleOf(content, path)
    to.roles.push(role)
    const last = turns.at(-1)
    if (last?.role === role) last.parts.push(...content.parts)
    else turns.push({ role, parts: content.parts, path })
  })
  return turns
}

function roleOf({ role, parts }: ReadContent, path: string): Turn['role'] {
  if (role !== undefined && role !== '' && role !== 'user' && role !== 'model' && role !== 'function')
    throw badRequest('Please use a valid role: user, model.', `${path}.role`)
  if (parts.length === 0) throw badRequest('must include at least one parts field', `${path}.parts`)
  return role === 'model' ? 'model' : 'user'
}

function readUser({ parts, path }: Turn, to: Conversation, calls: Calls): Calls {
  const responses = parts.filter(({ part }) => part.functionResponse !== undefined)
  if (responses.length > 0 || calls.length > 0) readResponses(responses, path, to, calls)
  const texts = parts.map(({ part }) => part.text).filter((text) => typeof text === 'string' && text !== '')
  const attachments = parts.flatMap(({ part, path: at }) => readMedia(part, at))
  const wrong = parts.find(({ part }) => part.functionCall !== undefined)
  if (wrong) throw badRequest('A function call must be in a turn of the model.', wrong.path)
  if (responses.length === 0 || texts.length > 0 || attachments.length > 0) addUser(to, texts.join('\n'), attachments)
  return []
}

function readModel({ parts }: Turn, to: Conversation): Calls {
  to.toolResults = []
  const calls: Calls = []
  let [signed, reasoned] = [0, 0]
  for (const read of parts) {
    const { part, path } = read
    if (part.functionResponse !== undefined)
      throw badRequest('A function response must be in a turn of the user.', path)
    const call = part.functionCall === undefined ? undefined : readCall(read, to)
    if (call) calls.push(call)
    if (part.thought === true) reasoned++
    else if (typeof part.text === 'string') addContent(to, part.text, [])
    else addContent(to, '', readMedia(part, path))
    if (readSignature(read, call?.name, to)) signed++
  }
  if (signed === 0 && reasoned > 0) addReasoning(to, { signature: undefined, path: '', message: '' })
  return calls
}

/** Signatures are bytes: either alphabet of base64 is accepted. */
function readSignature({ part, path }: ReadPart, covered: string | undefined, to: Conversation): boolean {
  const { thoughtSignature: signature } = part
  if (signature === undefined) return false
  if (typeof signature !== 'string') throw badRequest('Base64 decoding failed.', `${path}.thought_signature`)
  const decoded = standard(signature)
  if (NO_SIGNATURES.includes(decoded)) return false
  addReasoning(to, {
    signature: decoded,
    path: `${path}.thought_signature`,
    message: 'Corrupted thought signature.',
    ...(covered === undefined ? {} : { covered }),
  })
  return true
}

function standard(base64: string): string {
  return Buffer.from(base64, 'base64').toString('base64')
}
