// Reads the response of an upstream of another dialect: as a whole, or event by event.

import { type Translation, translateResponse, translateStream } from '@trivium/protocol'
import { parsedJson } from '@trivium/protocol/canonical/reading.ts'
import type { PassThroughReply } from '@trivium/protocol/dialects/pass-through.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import { collectorFor } from '../reasoning/collect-reasoning.ts'
import type { PlannedAttempt } from '../request.ts'
import { hidingEncrypted } from './hide-encrypted.ts'
import type { Answerer } from './outbound.ts'
import { heartbeatOf } from './pass-through.ts'

export function createTranslatingAnswerer(
  planned: PlannedAttempt,
  translated: Translation,
  deps: TextCallDependencies,
): Answerer {
  const collector = collectorFor(planned, translated.answering.hideReasoning, deps.seals)
  const answerer = answererOf({ ...translated, observer: collector }, collector)
  return planned.request.conversation?.hidesEncrypted ? hidingEncrypted(answerer) : answerer
}

/** Lives as long as the response, so it keeps nothing of the request but the translation. */
function answererOf(translation: Translation, collector: Answerer['collector']): Answerer {
  const { client, asArray } = translation
  return {
    streamType: asArray ? 'application/json' : 'text/event-stream',
    heartbeat: heartbeatOf(client, asArray),
    readReply: (bytes) => readReply(bytes, translation),
    openMeter: () => translateStream(translation, LEAVING_ERRORS),
    collector,
  }
}

/** What the client reads of a failure is decided after the settlement. */
const LEAVING_ERRORS = { leavesErrors: true }

function readReply(bytes: Uint8Array, translation: Translation): PassThroughReply {
  const { codec } = translation
  const reply = translateResponse(parsedJson(codec.decode(bytes, 0, bytes.length)), translation)
  return reply.ok ? { ...reply, body: codec.encode(JSON.stringify(reply.body)) } : reply
}
