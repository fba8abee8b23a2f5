// A whole answer of an upstream. It is read like a stream of which only the last event came.

import type { StreamEvent } from '../../../canonical/event.ts'
import { isObject } from '../../../canonical/reading.ts'
import { fold } from '../../../canonical/reply.ts'
import type { DecodedReply } from '../../text-dialect.ts'
import { decodeError } from '../error.ts'
import { openItemsDecoder } from './decode-items.ts'

export function decodeReply(body: unknown): DecodedReply {
  if (!isObject(body)) return noAnswer
  if (body.status === 'failed' || body.status === 'cancelled' || isObject(body.error)) {
    return { ok: false, error: decodeError(200, { error: body.error ?? {}, usage: body.usage }) }
  }
  // A string in place of the error, or an error without its envelope.
  if (!Array.isArray(body.output)) {
    const saysWhy = typeof body.error === 'string' || typeof body.message === 'string' || body.detail !== undefined
    return saysWhy ? { ok: false, error: decodeError(200, body) } : noAnswer
  }
  const isUnfinished = body.status === 'queued' || body.status === 'in_progress'
  if (isUnfinished && body.output.length === 0) return noAnswer
  const events: StreamEvent[] = []
  const answer = openItemsDecoder((event) => events.push(event))
  answer.finish(body)
  answer.end()
  return { ok: true, reply: fold(events) }
}

const noAnswer: DecodedReply = {
  ok: false,
  error: { code: 'upstream_error', message: 'The upstream returned an invalid response.' },
}
