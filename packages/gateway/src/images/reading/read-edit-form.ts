// Reads the form of an edit. What can be rejected is rejected before its files have arrived.

import { decodeImageForm, FileRules, type FormFile } from '@trivium/protocol/dialects/images/request/decode-form.ts'
import { type ReadFormDependencies, readForm, type UploadedFile } from '../../media/read-form.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import { Failure } from '../../request/failure.ts'
import { inspectImage, MOST_PIXELS } from '../inspect-image.ts'
import type { ReadContext, ReadRequest } from './read-request.ts'

export const IMAGE_BYTES = 50 * 1024 * 1024

export async function readEditForm(
  { http, record }: ApiRequest,
  { caller, slot, catalogue: { config }, isRepeatable, offerOf, checkFunds }: ReadContext,
  deps: ReadFormDependencies,
): Promise<ReadRequest> {
  await checkFunds()
  const rules = new FileRules()
  const form = await readForm(
    http,
    { account: caller.account, bodyBytes: config.server.limits.uploadBytes, slot, isRepeatable },
    {
      fileBytes: IMAGE_BYTES,
      began: ({ name, filename }, bytes) =>
        rules.began({ name, bytes, ...(filename === undefined ? {} : { filename }) }),
      async onField({ name, value }) {
        if (name === 'model' && value !== '') await checkFunds(offerOf(value))
      },
      inspect: inspectFile,
    },
    deps,
  )
  const { fields, files, fingerprint, close } = form
  try {
    const request = decodeImageForm(fields, files)
    record.model = request.model
    return { request, fingerprint, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function inspectFile({ name, filename, size, stored }: UploadedFile): Promise<FormFile> {
  const image = size === 0 ? undefined : await inspectImage(Bun.file(stored.path))
  if (image === 'too_many_pixels') {
    throw new Failure('bad_request', `${name} has more than ${MOST_PIXELS} pixels.`, { param: name })
  }
  return {
    name,
    bytes: size,
    mediaType: size === 0 ? 'image/png' : image?.type,
    ...(filename === undefined ? {} : { filename }),
    source: { kind: 'file', handle: stored.path },
  }
}
