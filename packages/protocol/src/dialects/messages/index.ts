import { SEAL_PREFIX } from '../../canonical/seal.ts'
import type { TextDialectDescription } from '../text-dialect.ts'
import { endpoint } from './endpoint.ts'
import { decodeError, encodeError, encodeStreamError } from './error.ts'
import { editable } from './pass-through/operator-edits.ts'
import { tokenCounting } from './pass-through/token-counting.ts'
import { passThrough } from './pass-through.ts'
import { decodeReply } from './reply/decode-reply.ts'
import { openStreamDecoder } from './reply/decode-stream.ts'
import { droppedPart, encodeReply } from './reply/encode-reply.ts'
import { heartbeat, openStreamEncoder } from './reply/encode-stream.ts'
import { decodeRequest } from './request/decode-request.ts'
import { encodeRequest } from './request/encode-request.ts'
import { fieldNames } from './request/field-names.ts'
import { origin } from './request/origin.ts'
import { rejectStored } from './request/stored-state.ts'
import { version } from './request/version.ts'
import { translated } from './translated-fields.ts'

export const messages: TextDialectDescription = {
  id: 'messages',
  credential: { headers: ['x-api-key'], example: "'x-api-key: sk-...'" },
  version,
  carriedHeaders: ['anthropic-version'],
  endUserField: () => 'metadata.user_id',
  longestEndUser: 256,
  requiresOutputCap: true,
  betaHeader: 'anthropic-beta',
  carriedQuery: ['beta=true'],
  wantsReasoning: () => ({ form: 'signed' }),
  sealed: { marks: [`"${SEAL_PREFIX}`] },
  origin,
  endpoint,
  fieldNames,
  translated,
  heartbeat,
  passThrough,
  editable,
  tokenCounting,
  encodeError,
  encodeStreamError,
  decodeError,
  decodeRequest,
  encodeRequest,
  rejectStored,
  decodeReply,
  encodeReply,
  droppedPart,
  openStreamDecoder,
  openStreamEncoder,
}
