import { MultipartError, malformed } from './multipart-error.ts'
import { parseParameters } from './parameters.ts'

/** RFC 2046, section 5.1.1. */
const MAX_BOUNDARY = 70

/** The boundary that a content type announces. Throws MultipartError if it is not a form with a valid one. */
export function boundaryOf(contentType: string | null): string {
  const essence = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (contentType === null || essence !== 'multipart/form-data') {
    throw new MultipartError('not_multipart', 'Unsupported content type. Send Content-Type: multipart/form-data.')
  }
  const [boundary, other] = parseParameters(contentType).parameters.get('boundary') ?? []
  if (boundary === undefined || boundary === '')
    throw malformed('The content type multipart/form-data has no boundary.')
  if (other !== undefined) throw malformed('The content type multipart/form-data has more than one boundary.')
  if (boundary.length > MAX_BOUNDARY) throw malformed(`The boundary is longer than ${MAX_BOUNDARY} characters.`)
  // Whitespace at its end would be indistinguishable from padding.
  if (!/^[\x20-\x7e]*[\x21-\x7e]$/.test(boundary))
    throw malformed('The boundary contains a character that is not allowed.')
  return boundary
}
