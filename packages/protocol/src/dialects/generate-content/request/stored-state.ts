// Requests that depend on content kept at the vendor.

import { asObject, isObject, unsupported } from '../../../canonical/reading.ts'
import { decodeFile } from './decode-media.ts'
import { camel, listOf } from './fields.ts'

/**
 * Content that is kept at the vendor changes what the model sees, so without it any answer would be wrong: rejected
 * before anything is translated. Throws RequestError.
 */
export function rejectStored(value: unknown): void {
  if (!isObject(value)) return
  const body = camel(value)
  if (body.cachedContent !== undefined && body.cachedContent !== null && body.cachedContent !== '')
    throw unsupported('cachedContent', 'cachedContent cannot be used here: send the content itself.')
  for (const [index, given] of listOf(body.contents, 'contents').entries()) {
    const at = `contents[${index}].parts`
    const content = camel(asObject(given, `contents[${index}]`))
    for (const [position, one] of listOf(content.parts, at).entries()) {
      const part = isObject(one) ? camel(one) : {}
      const path = `${at}[${position}].fileData`
      if (isObject(part.fileData) && decodeFile(part.fileData, path).source.kind === 'object')
        throw unsupported(path, `${path} names a file that is kept at a vendor: send its content instead.`)
    }
  }
}
