import type { ImageService } from '../../image-service.ts'
import { decodeReply } from './decode-reply.ts'
import { openStreamDecoder } from './decode-stream.ts'
import { encodeRequest } from './encode-request.ts'

export const imageService: ImageService = {
  makesMany: false,
  hasPartialImages: true,
  takesUrls: () => true,
  encodeRequest,
  decodeReply,
  openStreamDecoder,
}
