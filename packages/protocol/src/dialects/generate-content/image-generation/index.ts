import type { ImageService } from '../../image-service.ts'
import { decodeReply, openStreamDecoder } from './decode-reply.ts'
import { encodeRequest } from './encode-request.ts'

export const imageService: ImageService = {
  makesMany: false,
  hasPartialImages: false,
  takesUrls: () => false,
  encodeRequest,
  decodeReply,
  openStreamDecoder,
}
