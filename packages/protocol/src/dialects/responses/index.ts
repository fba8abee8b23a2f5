import { SEAL_PREFIX } from '../../canonical/seal.ts'
import { BEARER } from '../dialect.ts'
import type { TextDialectDescription } from '../text-dialect.ts'
import { endpoint } from './endpoint.ts'
import { decodeError, encodeError, encodeStreamError } from './error.ts'
import { editable } from './pass-through/operator-edits.ts'
import { tokenCounting } from './pass-through/token-counting.ts'
import { passThrough } from './pass-through.ts'
import { decodeReply } from './reply/decode-reply.ts'
import { openStreamDecoder } from './reply/decode-stream.ts'
import { encodeReply } from './reply/encode-reply.ts'
import { heartbeat, openStreamEncoder } from './reply/encode-stream.ts'
import { decodeRequest } from './request/decode-request.ts'
import { encodeRequest } from './request/encode-request.ts'
import { fieldNames } from './request/field-names.ts'
import { origin } from './request/origin.ts'
import { rejectStored } from './request/stored-state.ts'
import { translated } from './translated-fields.ts'

export const responses: TextDialectDescription = {
  id: 'responses',
  credential: BEARER,
  carriedHeaders: ['openai-beta'],
  endUserField: () => 'safety_identifier',
  longestEndUser: 64,
  effortField: 'reasoning.effort',
  echoesRequest: true,
  imageTool: 'image_generation',
  wantsReasoning: () => ({ form: 'signed' }),
  sealed: {
    marks: [`"${SEAL_PREFIX}`, `"after.${SEAL_PREFIX}`, `"redacted.${SEAL_PREFIX}`, `"text.${SEAL_PREFIX}`],
  },
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
  openStreamDecoder,
  openStreamEncoder,
}
