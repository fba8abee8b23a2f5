import { SEAL_PREFIX } from '../../canonical/seal.ts'
import type { TextDialectDescription } from '../text-dialect.ts'
import { endpoint } from './endpoint.ts'
import { decodeError, encodeArrayStreamError, encodeError, encodeStreamError } from './error.ts'
import { editable } from './pass-through/operator-edits.ts'
import { tokenCounting } from './pass-through/token-counting.ts'
import { passThrough } from './pass-through.ts'
import { decodeReply } from './reply/decode-reply.ts'
import { openStreamDecoder } from './reply/decode-stream.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { arrayFraming, heartbeat, openStreamEncoder } from './reply/encode-stream.ts'
import { redactedField, signatureField } from './reply/signature.ts'
import { decodeRequest } from './request/decode-request.ts'
import { encodeRequest } from './request/encode-request.ts'
import { fieldNames } from './request/field-names.ts'
import { origin } from './request/origin.ts'
import { rejectStored } from './request/stored-state.ts'
import { translated } from './translated-fields.ts'

/** The characters of a base64 text that do not depend on what follows. */
const sealedMark = (base64: string): string => `"${base64.replace(/.?=*$/, '')}`

export const generateContent: TextDialectDescription = {
  id: 'generate-content',
  credential: {
    headers: ['x-gen-api-key', 'x-goog-api-key'],
    example: "'x-goog-api-key: sk-...' (or 'x-gen-api-key: sk-...')",
  },
  carriedHeaders: [],
  endUserField: () => undefined,
  wantsReasoning: () => ({ form: 'signed' }),
  sealed: { marks: [sealedMark(signatureField(SEAL_PREFIX)), sealedMark(redactedField(SEAL_PREFIX))], isBase64: true },
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
  encodeArrayStreamError,
  decodeError,
  decodeRequest,
  encodeRequest,
  rejectStored,
  decodeReply,
  encodeReply,
  openStreamDecoder,
  openStreamEncoder,
  arrayFraming,
}
