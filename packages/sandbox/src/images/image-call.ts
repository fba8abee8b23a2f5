// A request for images in neutral form: the endpoints of all dialects decode into it and encode what was rendered.

import type { DecodedRequest, Head, SandboxDialect, StreamEvent } from '../dialects/dialect.ts'

export const SANDBOX_IMAGE = 'sandbox-image'

export type OutputFormat = 'png' | 'jpeg' | 'webp'

export type ImageOrder = {
  prompt: string
  n: number
  /** Undefined: 1024x1024, or as the image that is edited. */
  size: { width: number; height: number } | undefined
  transparent: boolean
  format: OutputFormat
  /** 0 to 100, for JPEG and WebP. */
  compression: number
  /** Coarser versions before each image. */
  partials: number
  /** What is edited; undefined: a new picture. */
  source: Uint8Array<ArrayBuffer> | undefined
  mask: Uint8Array<ArrayBuffer> | undefined
}

export type RenderedImage = {
  bytes: Uint8Array<ArrayBuffer>
  base64: string
  partials: readonly string[]
  size: string
}

/** What a fault makes of the answer. */
export type ImageOutcome = { images: readonly RenderedImage[]; moderated: boolean }

export type ImageCall = {
  /** With its fault switches. */
  model: string
  dialect: SandboxDialect
  order: ImageOrder
  delivery: DecodedRequest['delivery']
  /** Text of the request, which ids are made of. */
  fingerprint: string
  /** The dialect answers with an error, and not with an answer that says so, when the prompt is blocked. */
  moderationIsError: boolean
  /** `urls` of the images, where the answer is to have URLs. */
  body(outcome: ImageOutcome, head: Head, urls: readonly string[] | undefined): Iterable<string>
  events(outcome: ImageOutcome, head: Head): Iterable<StreamEvent>
  /** The client wants URLs. */
  wantsUrls: boolean
}
