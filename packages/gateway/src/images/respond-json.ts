// The unstreamed response: all images are made, settled, then sent. The base64 text of an image is sent in the pieces that
// it was received in.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { ReplyImage } from '@trivium/protocol/canonical/image.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { writeLargeJson } from '../paid-call/writing/write-json.ts'
import { chargeImages, warnIfPartial } from './charge-images.ts'
import type { ImageDependencies } from './dependencies.ts'
import type { ImageEncoding } from './endpoints/endpoint.ts'
import { generate } from './generate.ts'
import type { ImageCall } from './image-call.ts'
import { present } from './present.ts'

export async function respondJson(
  imageCall: ImageCall,
  encoding: Pick<ImageEncoding, 'reply'>,
  deps: ImageDependencies,
): Promise<HttpResponse> {
  const images: ReplyImage[] = []
  let usageJson: Pieces | undefined
  const frame = await generate(
    imageCall,
    async (event) => {
      if (event.type === 'partial') return
      images.push(await present(event.image, imageCall, deps))
      usageJson ??= event.usageJson
    },
    deps,
  )
  const { usage } = imageCall.own
  const { passed } = frame ?? {}
  if (passed) return writeLargeJson(imageCall, passed, () => chargeImages(imageCall, passed, deps), deps)
  warnIfPartial(imageCall)
  // The usage of several calls to upstreams is their sum, which none of them has written.
  const isOneCall = imageCall.own.calls === 1 && usageJson !== undefined
  const body = encoding.reply({
    images,
    details: frame?.details ?? {},
    unknown: frame?.unknown ?? [],
    usage,
    ...(frame?.created === undefined ? {} : { created: frame.created }),
    ...(isOneCall && usageJson ? { usageJson } : {}),
    ...(imageCall.own.calls === 1 && frame?.raw ? { raw: frame.raw } : {}),
  })
  return writeLargeJson(imageCall, body, () => chargeImages(imageCall, body, deps), deps)
}
