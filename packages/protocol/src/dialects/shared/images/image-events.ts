// What the streams of all image upstreams have in common: one ending, and no ending without an image.

import { errorInfo } from '../../../canonical/error.ts'
import type { ImageEvent } from '../../../canonical/image.ts'
import type { Codec } from '../../../framing/codec.ts'
import type { ThinJson } from '../../../framing/json/thin-json.ts'
import { MAX_IMAGE_EVENT_BYTES, openThinEvents, type ThinEvent } from '../../../framing/thin-events.ts'
import type { EmitImage, ImageStreamDecoder } from '../../image-service.ts'

type Decode = (event: string | undefined, data: ThinJson, deliver: EmitImage, whole: ThinEvent) => void

/** `finish`: emits what a dialect tells only at the end of its stream. */
export function openImageEvents(
  emit: EmitImage,
  codec: Codec,
  limit: number = MAX_IMAGE_EVENT_BYTES,
  decode: Decode,
  finish?: (deliver: EmitImage) => void,
): ImageStreamDecoder {
  let images = 0
  let isOver = false
  const deliver = (event: ImageEvent) => {
    if (isOver) return
    if (event.type === 'completed') images++
    isOver = event.type === 'error' || event.type === 'end'
    emit(event)
  }
  const events = openThinEvents(
    (whole) => {
      if (!isOver) decode(whole.event, whole.data, deliver, whole)
    },
    codec,
    limit,
  )
  return {
    push(bytes) {
      if (!isOver) events.push(bytes)
    },
    end() {
      if (!isOver) events.end()
      if (!isOver) finish?.(deliver)
      if (images > 0) deliver({ type: 'end' })
      else deliver({ type: 'error', error: errorInfo('upstream_no_image', 'The upstream answered without an image.') })
    },
  }
}
