// Replies of the model in canonical terms: the client's response is put together from several of them.

import type { StreamEvent } from '@trivium/protocol/canonical/event.ts'
import type { Block, CanonicalReply } from '@trivium/protocol/canonical/reply.ts'
import type { TextDialect } from '@trivium/protocol/dialects/index.ts'
import type { ReplyContext } from '@trivium/protocol/dialects/text-dialect.ts'

/** The last reply. Its signatures are sealed already, by the upstream that made them. */
export type CapturedReply = { reply: CanonicalReply; answering: ReplyContext }

/** The same of a reply that is being streamed: what has come and was not taken yet. */
export type CapturedStream = { events: StreamEvent[]; answering: ReplyContext }

/** What the last attempt brought. */
export type Captured = { last: CapturedReply | undefined; stream: CapturedStream | undefined }

/** The caller's dialect, but a reply is kept instead of written. */
export const capturing = (dialect: TextDialect, captured: Captured): TextDialect => ({
  ...dialect,
  encodeReply(reply, answering) {
    const choices = reply.choices.map(({ blocks, stop }) => ({
      blocks: blocks.map((block) => sealed(block, answering)),
      stop,
    }))
    captured.last = { reply: { ...reply, choices }, answering: withoutSeal(answering) }
    return {}
  },
  openStreamEncoder(answering) {
    const stream: CapturedStream = { events: [], answering: withoutSeal(answering) }
    captured.stream = stream
    return {
      write(event) {
        stream.events.push(sealedEvent(event, answering))
        return ''
      },
      abandon: () => '',
    }
  },
})

const withoutSeal = (answering: ReplyContext): ReplyContext => ({ ...answering, seal: (signature) => signature })

function sealed(block: Block, { seal }: ReplyContext): Block {
  if (block.type === 'redacted') return { ...block, data: seal(block.data) }
  if (!('signature' in block) || block.signature === undefined) return block
  return { ...block, signature: seal(block.signature) }
}

function sealedEvent(event: StreamEvent, { seal }: ReplyContext): StreamEvent {
  if (event.type === 'signature') return { ...event, value: seal(event.value) }
  if (event.type !== 'open' || event.block.type !== 'redacted') return event
  return { ...event, block: { ...event.block, data: seal(event.block.data) } }
}
