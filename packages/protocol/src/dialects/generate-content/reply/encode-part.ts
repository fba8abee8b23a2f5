// Blocks of an answer as parts for a client.

import type { Block, CallBlock } from '../../../canonical/reply.ts'
import type { ReplyContext } from '../../text-dialect.ts'
import { argumentsObject } from '../request/encode-turns.ts'
import type { WirePart } from '../wire.ts'
import { redactedField, signatureField } from './signature.ts'

/** Undefined: there is nothing for the client in it. */
export function encodePart(block: Block, answering: ReplyContext): WirePart | undefined {
  switch (block.type) {
    case 'text':
      if (block.signature === undefined) return { text: block.text }
      return { text: block.text, ...signatureOf(block.signature, answering) }
    case 'refusal':
      return { text: block.text }
    case 'reasoning': {
      const text = answering.hideReasoning ? '' : block.text
      if (text === '' && block.signature === undefined) return undefined
      return { text, thought: true, ...signatureOf(block.signature, answering) }
    }
    case 'search':
      return undefined
    case 'redacted':
      return { text: '', thoughtSignature: redactedField(answering.seal(block.data)) }
    case 'call':
      return callPart(block, answering)
    case 'media':
      return { inlineData: { mimeType: block.mime, data: block.data }, ...signatureOf(block.signature, answering) }
  }
}

export function callPart(
  { id, name, arguments: text, custom, signature }: CallBlock,
  answering: ReplyContext,
): WirePart {
  const args = custom ? { input: text } : argumentsObject(text).args
  return { functionCall: { id, name, args }, ...signatureOf(signature, answering) }
}

export const signatureOf = (
  signature: string | undefined,
  answering: ReplyContext,
): Pick<WirePart, 'thoughtSignature'> =>
  signature === undefined ? {} : { thoughtSignature: signatureField(answering.seal(signature)) }
