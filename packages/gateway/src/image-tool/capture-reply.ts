// Replies of the model in canonical terms: the client's response is put together from several of them.

import type { Block, CanonicalReply } from '@trivium/protocol/canonical/reply.ts'
import type { TextDialect } from '@trivium/protocol/dialects/index.ts'
import type { ReplyContext } from '@trivium/protocol/dialects/text-dialect.ts'

/** The last reply. Its signatures are sealed already, by the upstream that made them. */
export type CapturedReply = { reply: CanonicalReply; answering: ReplyContext }

export type Captured = { last: CapturedReply | undefined }

/** The caller's dialect, but a reply is kept instead of written. */
export const capturing = (dialect: TextDialect, captured: Captured): TextDialect => ({
  ...dialect,
  encodeReply(reply, answering) {
    const choices = reply.choices.map(({ blocks, stop }) => ({
      ...{ blocks: blocks.map((block) => sealed(block, answering)), stop },
    }))
    captured.last = { reply: { ...reply, choices }, answering: { ...answering, seal: (signature) => signature } }
    return {}
  },
})

function sealed(block: Block, { seal }: ReplyContext): Block {
  if (block.type === 'redacted') return { ...block, data: seal(block.data) }
  if (!('signature' in block) || block.signature === undefined) return block
  return { ...block, signature: seal(block.signature) }
}
