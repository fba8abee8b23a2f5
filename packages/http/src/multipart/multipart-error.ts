export type MultipartCode =
  | 'not_multipart'
  | 'malformed'
  | 'too_many_parts'
  | 'part_header_too_large'
  | 'field_too_large'
  | 'file_too_large'
  | 'body_too_large'

/** Why a form could not be read. The message is for the client. */
export class MultipartError extends Error {
  override name = 'MultipartError'
  readonly code: MultipartCode
  /** The name of the part, if it is about one. */
  readonly part: string | undefined

  constructor(code: MultipartCode, message: string, part?: string) {
    super(message)
    this.code = code
    this.part = part
  }
}

export const malformed = (message: string, part?: string) => new MultipartError('malformed', message, part)
