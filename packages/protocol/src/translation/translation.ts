// What the translation of a response needs of its request.

import type { SentTools } from '../canonical/encoding/restore-tools.ts'
import type { StreamEvent } from '../canonical/event.ts'
import type { Stop } from '../canonical/finish.ts'
import type { CanonicalReply } from '../canonical/reply.ts'
import type { Usage } from '../canonical/usage.ts'
import type { TextDialect } from '../dialects/index.ts'
import type { ReplyQuirks } from '../dialects/pass-through.ts'
import type { ReplyContext } from '../dialects/text-dialect.ts'
import type { Codec } from '../framing/codec.ts'

/** Small, and never refers to the request: it lives as long as the response. */
export type Translation = {
  readonly client: TextDialect
  readonly upstream: TextDialect
  readonly codec: Codec
  readonly tools: SentTools
  /** Grows until the response has ended: see `warningsOf`. */
  readonly warnings: string[]
  /** The client of a generate-content stream wants one JSON array. */
  readonly asArray: boolean
  /** For errors. */
  readonly requestId: string
  readonly answering: ReplyContext
  readonly quirks: ReplyQuirks | undefined
  /** Sees what the upstream said, before it is written for the client. */
  observer?: ReplyObserver | undefined
}

export type ReplyObserver = {
  /** A stream begins. */
  reset(): void
  take(event: StreamEvent): void
  takeWhole(reply: CanonicalReply): void
}

/** The model failed at a tool call and returned nothing else: an empty response would look intended. */
export const MALFORMED = {
  code: 'upstream_error',
  message: 'The model tried to call a tool and failed at it.',
} as const

/** The stop of a server that says that an answer is complete, though it has reached its cap. */
export function stopAtCap(stop: Stop, usage: Usage | undefined, { cap }: ReplyQuirks): Stop {
  const isReached = cap !== undefined && usage?.output !== undefined && usage.output >= cap
  return isReached && (stop.reason === 'end' || stop.reason === 'tool') ? { raw: 'length', reason: 'length' } : stop
}
