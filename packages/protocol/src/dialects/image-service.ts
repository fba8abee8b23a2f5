// How images are asked from an upstream of some dialect, and found in what it answers.

import type { DecodedImageReply, ImageEvent, ImageInput, ImageRequest } from '../canonical/image.ts'
import type { WarningReason } from '../canonical/warning.ts'
import type { Codec } from '../framing/codec.ts'
import type { ThinJson } from '../framing/json/thin-json.ts'
import { base64Length } from '../image-data/base64.ts'

/** What encoding a request for an upstream depends on, besides the request. */
export type ImageTarget = {
  /** The model's name at the upstream. */
  model: string
  /** Whether the upstream is asked to stream, whatever the client asked for. */
  stream: boolean
  /** How many images this call is for. Absent: as many as the request asks for. */
  n?: number
  /** What becomes of `response_format` in the images dialect. Some models reject the field, others default to `url`. */
  responseFormat: 'keep' | 'omit' | 'b64_json'
  /** The end user, as the upstream may know it. Absent: the field stays as it is. Null: it is removed. */
  endUser?: string | null
  /** Images to edit are sent in a JSON body of the images dialect, as URLs or data URLs. Absent: in a form. */
  editsAsJson?: boolean
  /** Fields of the images dialect that this upstream does not have, by their wire names. */
  lacks?: readonly string[]
  /** The upstream makes series of images, which are held and charged by their number. Absent: they are not asked for. */
  makesSeries?: boolean
  /** Separates the parts of a form: random letters and digits, made anew for each request. */
  boundary: string
  /** Names a field, as the images dialect calls it, that the upstream cannot express. */
  warn(field: string, reason: WarningReason | 'no-price'): void
}

/** Bytes, or an image that the sender inserts there while it sends: as it is, or in base64. */
export type ImageBodyPart = Uint8Array | { image: ImageInput; as: 'bytes' | 'base64' }

export type EncodedImageRequest = { contentType: string; body: readonly ImageBodyPart[] }

export type ImageStreamDecoder = {
  /** Throws ThinJsonOverflow. After `end` or `error` was emitted, more bytes are ignored. */
  push(bytes: Uint8Array): void
  /** The upstream's bytes have ended. Emits `end`, or `error` if there is no image or the stream was cut. */
  end(): void
}

export type EmitImage = (event: ImageEvent) => void

export type ImageService = {
  /** One call makes as many images as it is asked for. False: one image, so the call is repeated. */
  makesMany: boolean
  /** Partial images can be asked for. */
  hasPartialImages: boolean
  /** Images to edit may be URLs, which the upstream fetches. */
  takesUrls(target: Pick<ImageTarget, 'editsAsJson'>): boolean
  /** Below the base URL, where edits have a path of their own. */
  editsPath?: string
  /** Throws RequestError for what the dialect cannot express. */
  encodeRequest(request: ImageRequest, target: ImageTarget, codec: Codec): EncodedImageRequest
  decodeReply(body: ThinJson, codec: Codec): DecodedImageReply
  openStreamDecoder(emit: EmitImage, codec: Codec, limit?: number): ImageStreamDecoder
}

/** For `content-length`. */
export function partLength(part: ImageBodyPart): number {
  if (part instanceof Uint8Array) return part.length
  return part.as === 'bytes' ? part.image.bytes : base64Length(part.image.bytes)
}
