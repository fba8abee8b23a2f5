// A request for images, its reply and the events of its stream, independent of dialects. Images themselves are never
// looked at here: inputs are references that the caller resolves, and outputs are the bytes of their base64 text.

import type { Fields } from '../framing/json/edit-fields.ts'
import type { Pieces } from '../framing/splice.ts'
import type { ErrorInfo } from './error.ts'
import type { BodyAttribution } from './request.ts'
import type { Usage } from './usage.ts'

export type ImageFormat = 'png' | 'jpeg' | 'webp'

export type ImageRequest = {
  operation: 'generate' | 'edit'
  model: string
  prompt: string
  /** 1 unless the request asks for another number. */
  n: number
  stream: boolean
  /** `auto`, `<width>x<height>`, a resolution such as `2K`, or `adaptive`. */
  size?: string
  quality?: string
  background?: 'transparent' | 'opaque' | 'auto'
  outputFormat?: ImageFormat
  outputCompression?: number
  moderation?: 'low' | 'auto'
  style?: string
  inputFidelity?: 'high' | 'low'
  responseFormat?: 'url' | 'b64_json'
  user?: string
  partialImages?: number
  /** The model decides how many related images one call makes, up to this number. Only some upstreams can do it. `isChosen`: by the request. */
  series?: { most: number; isChosen: boolean }
  /** Empty for `generate`. */
  images: readonly ImageInput[]
  mask?: ImageInput
  /** Unknown fields, in order. They reach upstreams of the images dialect. */
  unknown: readonly UnknownField[]
  /** The JSON body that the request was decoded from: an upstream of the same dialect gets its bytes with few edits. */
  json?: { bytes: Uint8Array } & Fields
  /** Whom and what it is for; absent: it does not say. */
  attribution?: BodyAttribution
}

/** `text`: the JSON text of a field in a JSON body, or with `isForm` the value of a form field. */
export type UnknownField = { name: string; text: string; isForm?: true }

export type ImageInput = {
  /** By content, not by name: `image/png`, `image/jpeg`, `image/webp`. Empty for a URL, whose content is not known. */
  mediaType: string
  /** Length of the image itself, whatever form it has in `source`; 0 for a URL. */
  bytes: number
  filename?: string
  source: ImageSource
}

/** `file`: the caller's own reference, such as the path of a spooled upload. */
export type ImageSource =
  | { kind: 'file'; handle: string }
  | { kind: 'inline'; base64: string }
  /** `field`: where the request names it, for errors. */
  | { kind: 'url'; url: string; field: string }

/** What a model accepts. Absent: everything that the dialect allows. `auto` is always accepted. */
export type ImageLimits = {
  sizes?: readonly string[]
  /** Accepts every size in its bounds, besides those in `sizes`. */
  sizeRange?: SizeRange
  qualities?: readonly string[]
  n?: number
}

/** `least` and `most` of each side in pixels. `maxRatio`: of the longer to the shorter side. */
export type SizeRange = {
  least: number
  most: number
  multipleOf?: number
  maxRatio?: number
  minPixels?: number
  maxPixels?: number
}

/** What an upstream says of its images. The size is that of the image, `auto` only if the upstream says so. */
export type ImageDetails = {
  size?: string
  quality?: string
  background?: string
  outputFormat?: string
}

/** Base64 text as bytes of ASCII, without quotes and escapes, in the pieces that it was received in. */
export type Base64 = { pieces: Pieces; length: number }

/** A JSON value that is not decoded: its bytes, in pieces. */
export type RawField = { name: string; json: Pieces }

export type ReplyImage = {
  /** At least one of these two. */
  base64?: Base64
  url?: string
  revisedPrompt?: string
  /** Known where the dialect tells it beside the image. */
  mediaType?: string
  unknown: readonly RawField[]
}

export type ImageReply = {
  /** Seconds since 1970; absent where the dialect does not tell it. */
  created?: number
  images: readonly ReplyImage[]
  details: ImageDetails
  usage: Usage | undefined
  /** The usage as the upstream wrote it, if it was written in the images dialect. */
  usageJson?: Pieces
  unknown: readonly RawField[]
  /** The reply as it came, if it is one of the images dialect that lacks nothing, and its images are all in it. */
  raw?: Pieces
}

export type DecodedImageReply = { ok: true; reply: ImageReply } | { ok: false; error: ErrorInfo }

export type ImageEvent =
  | {
      type: 'partial'
      /** Counts from 0 for each image. */
      index: number
      image: ReplyImage
      details: ImageDetails
      created?: number
      unknown: readonly RawField[]
      raw?: Pieces
    }
  | {
      type: 'completed'
      image: ReplyImage
      details: ImageDetails
      created?: number
      usage: Usage | undefined
      usageJson?: Pieces
      unknown: readonly RawField[]
      /** The event as it came, if it is one of the images dialect that lacks nothing which clients demand. */
      raw?: Pieces
    }
  /** The usage of the whole call, where the upstream tells it after the images. */
  | { type: 'usage'; usage: Usage }
  /** No event follows. Images that were completed before it were delivered. */
  | { type: 'error'; error: ErrorInfo }
  /** The upstream has said everything; at least one image was completed. */
  | { type: 'end' }
