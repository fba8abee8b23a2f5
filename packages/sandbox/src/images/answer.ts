// From a request for images to what is sent: which endpoint decodes it, what faults make of it, and what is rendered.

import type { Faults } from '../delivery/faults.ts'
import { readDirectives } from '../model/directives.ts'
import type { SandboxRoute } from '../paths.ts'
import { SandboxError } from '../request/errors.ts'
import { readImageContent } from './generate-content.ts'
import { readEdit, readGeneration } from './generations.ts'
import { type ImageCall, type ImageOutcome, SANDBOX_IMAGE } from './image-call.ts'
import { render } from './render.ts'
import { readImageResponse } from './responses.ts'

/** `bytes`: the body, which a form has not. Undefined: the request is for text. Throws SandboxError. */
export async function readImageCall(
  route: SandboxRoute,
  request: Request,
  url: URL,
  bytes: Uint8Array,
): Promise<ImageCall | undefined> {
  if (route === 'image-generations') return readGeneration(bytes)
  if (route === 'image-edits') return readEdit(request)
  if (route === 'responses') return namesImages(bytes) ? readImageResponse(bytes) : undefined
  if (route !== 'generate-content' && route !== 'stream-generate-content') return undefined
  const model = decodeURIComponent(/\/models\/([^/]+):\w+$/.exec(url.pathname)?.[1] ?? '')
  return model.split(':', 1)[0] === SANDBOX_IMAGE ? readImageContent(bytes, url, model) : undefined
}

/** Most requests are for text, and are not parsed twice. */
function namesImages(bytes: Uint8Array): boolean {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  return text.includes('image_generation') || text.includes(SANDBOX_IMAGE)
}

const MODERATED = {
  status: 400,
  type: 'image_generation_user_error',
  code: 'moderation_blocked',
  message: '[sandbox] Your request was rejected by the safety system.',
}

/** Throws SandboxError. */
export async function renderOutcome(call: ImageCall, { flags }: Faults): Promise<ImageOutcome> {
  const { order } = call
  if (flags.has('moderation') || readDirectives(order.prompt, []).filter) {
    if (call.moderationIsError) throw new SandboxError(MODERATED)
    return { images: [], moderated: true }
  }
  const count = flags.has('no-image') ? 0 : flags.has('fewer-images') ? Math.max(1, order.n - 1) : order.n
  const partials = flags.has('no-partials') || call.delivery === 'single' ? 0 : order.partials
  return { images: await render({ ...order, partials }, count, flags.has('wrong-size')), moderated: false }
}
