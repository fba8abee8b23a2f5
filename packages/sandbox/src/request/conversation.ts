// A conversation in any dialect while it is decoded: each dialect adds what it finds.
import { createHash } from 'node:crypto'
import { isSignature, isSignatureOf } from '../model/signature.ts'
import { utf8Bytes } from '../model/tokens.ts'
import { badRequest } from './errors.ts'
import type { Attachment, Conversation, SandboxRequest, ToolResult } from './sandbox-request.ts'

export function openConversation(): Conversation {
  return {
    roles: [],
    system: '',
    lastUser: '',
    toolResults: [],
    attachments: [],
    reasoning: { signed: 0, unsigned: 0 },
    texts: [],
  }
}

export function addSystem(to: Conversation, text: string): void {
  to.system += `${to.system === '' ? '' : '\n'}${text}`
  to.texts.push(text)
}

/** A user message after tool results replaces them as what has to be answered. */
export function addUser(to: Conversation, text: string, attachments: readonly Attachment[]): void {
  to.lastUser = text
  to.toolResults = []
  addContent(to, text, attachments)
}

export function addContent(to: Conversation, text: string, attachments: readonly Attachment[]): void {
  to.texts.push(text)
  to.attachments.push(...attachments)
}

export function addResult(to: Conversation, result: ToolResult): void {
  to.toolResults.push(result)
  to.texts.push(result.text)
}

export function addCall(to: Conversation, name: string, input: string): void {
  to.texts.push(name, input)
}

/** Reasoning of an earlier turn. A signature sent with it must be the sandbox's own, unmodified. */
export type Returned = { signature: string | undefined; covered?: string; path: string; message: string; code?: string }

export function addReasoning(to: Conversation, { signature, covered, path, message, code }: Returned): void {
  if (signature === undefined) {
    to.reasoning.unsigned++
    return
  }
  const right = covered === undefined ? isSignature(signature) : isSignatureOf(signature, covered)
  if (!right) throw badRequest(message, path, code)
  to.reasoning.signed++
}

type Asked = Omit<SandboxRequest, keyof Conversation | 'fingerprint' | 'textBytes'>

/** `definitions`: the tools as sent. Like the schema of the answer, they count as text of the prompt. */
export function createRequest(
  bytes: Uint8Array,
  { texts, ...conversation }: Conversation,
  definitions: readonly unknown[],
  asked: Asked,
): SandboxRequest {
  const schemas = asked.format.type === 'schema' ? [...definitions, asked.format.schema] : definitions
  const sent = [...texts, ...schemas.map((schema) => JSON.stringify(schema))]
  return {
    fingerprint: createHash('sha256').update(bytes).digest('hex'),
    textBytes: sent.reduce((sum, text) => sum + utf8Bytes(text), 0),
    ...conversation,
    ...asked,
  }
}
