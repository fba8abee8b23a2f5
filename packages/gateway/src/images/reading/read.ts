// Reads a request for images: a JSON body, or the form of an edit, whose files go to disk.

import { decodeImageEdit, decodeImageRequest } from '@trivium/protocol/dialects/images/request/decode-request.ts'
import type { Codec } from '@trivium/protocol/framing/codec.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import { memoryFailure } from '../../request/failure.ts'
import { readJson, sendsJson } from '../../request/read-json.ts'
import type { ImageDependencies } from '../dependencies.ts'
import { inspectedInputs } from './inspect-inputs.ts'
import { readEditForm } from './read-edit-form.ts'
import type { ReadContext, ReadRequest } from './read-request.ts'

export const readGeneration = (incoming: ApiRequest, context: ReadContext, deps: ImageDependencies) =>
  readBody(incoming, context, decodeImageRequest, deps)

/** A form, or JSON with URLs of its images. */
export function readEdit(incoming: ApiRequest, context: ReadContext, deps: ImageDependencies): Promise<ReadRequest> {
  return sendsJson(incoming.http)
    ? readBody(incoming, context, decodeImageEdit, deps)
    : readEditForm(incoming, context, deps)
}

/** Bodies without images are smaller. */
const HAS_IMAGES = 1024 * 1024

async function readBody(
  incoming: ApiRequest,
  { slot, catalogue }: ReadContext,
  decode: typeof decodeImageRequest,
  deps: ImageDependencies,
): Promise<ReadRequest> {
  const { bodyBytes, memoryBytes } = catalogue.config.server.limits
  const parse = (body: Uint8Array, codec: Codec) => {
    // The text of the images is there a second time once it has been parsed.
    const parsed = 2 * body.length
    if (body.length > HAS_IMAGES && !slot.weigh(parsed)) throw memoryFailure(parsed, memoryBytes)
    return { body, decoded: decode(body, codec) }
  }
  const { body, decoded } = await readJson(incoming.http, bodyBytes, slot, deps, parse)
  const request = await inspectedInputs(decoded)
  incoming.record.model = request.model
  return { request, fingerprint: body, close: async () => {} }
}
