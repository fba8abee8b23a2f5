import { BEARER, type DialectDescription } from '../dialect.ts'
import type { ImageService } from '../image-service.ts'
import { decodeError, encodeError, encodeStreamError } from './error.ts'
import { decodeReply } from './reply/decode-reply.ts'
import { openStreamDecoder } from './reply/decode-stream.ts'
import { encodeRequest } from './request/encode-request.ts'

export const images: DialectDescription = {
  id: 'images',
  credential: BEARER,
  endpoint: { basePath: '/v1', path: '/images/generations', modelsPath: '/models', credential: 'bearer' },
  carriedHeaders: [],
  encodeError,
  encodeStreamError,
  decodeError,
}

export const imageService: ImageService = {
  makesMany: true,
  hasPartialImages: true,
  takesUrls: ({ editsAsJson }) => editsAsJson === true,
  editsPath: '/images/edits',
  encodeRequest,
  decodeReply,
  openStreamDecoder,
}
