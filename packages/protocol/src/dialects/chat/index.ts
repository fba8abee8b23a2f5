import { SEAL_PREFIX } from '../../canonical/seal.ts'
import type { ChatService } from '../chat-service.ts'
import { BEARER } from '../dialect.ts'
import type { TextDialectDescription, WantedReasoning } from '../text-dialect.ts'
import { endpoint } from './endpoint.ts'
import { decodeError, encodeError, encodeStreamError } from './error.ts'
import { editable } from './pass-through/operator-edits.ts'
import { passThrough } from './pass-through.ts'
import { decodeReply } from './reply/decode-reply.ts'
import { openStreamDecoder } from './reply/decode-stream.ts'
import { droppedPart, encodeReply } from './reply/encode-reply.ts'
import { heartbeat, openStreamEncoder } from './reply/encode-stream.ts'
import { decodeRequest } from './request/decode-request.ts'
import { encodeRequest } from './request/encode-request.ts'
import { fieldNames } from './request/field-names.ts'
import { origin } from './request/origin.ts'
import { serviceOf } from './request/services.ts'
import { translated } from './translated-fields.ts'

const WANTED: Readonly<Record<ChatService['reasoning'], WantedReasoning | undefined>> = {
  taken: { form: 'text' },
  demanded: { form: 'text', isDemanded: true },
  rejected: undefined,
}

export const chat: TextDialectDescription = {
  id: 'chat',
  credential: BEARER,
  carriedHeaders: ['openai-beta'],
  endUserField: (service) => (service?.endUser === 'none' ? undefined : (service?.endUser ?? 'safety_identifier')),
  longestEndUser: 64,
  effortField: 'reasoning_effort',
  losesReasoning: true,
  wantsReasoning: (model, service) => WANTED[serviceOf(model, service).reasoning],
  sealed: { marks: [`"${SEAL_PREFIX}`] },
  origin,
  endpoint,
  fieldNames,
  translated,
  heartbeat,
  passThrough,
  editable,
  encodeError,
  encodeStreamError,
  decodeError,
  decodeRequest,
  encodeRequest,
  decodeReply,
  encodeReply,
  droppedPart,
  openStreamDecoder,
  openStreamEncoder,
}
