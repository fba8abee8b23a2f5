// Reads a multipart request: its files into the spool, its fields into memory. Everything that can be wrong with it is a Failure.
import { BodyFailure, type StreamOptions, streamBody } from '@trivium/http/bodies/stream-body.ts'
import { type MultipartCode, MultipartError } from '@trivium/http/multipart/multipart-error.ts'
import {
  MULTIPART_DEFAULTS,
  type MultipartForm,
  type MultipartSink,
  type OnField,
  readMultipart,
} from '@trivium/http/multipart/read-multipart.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import type { ErrorCode } from '@trivium/protocol/canonical/error.ts'
import { Failure } from '../request/failure.ts'

export type UploadOptions = Pick<StreamOptions, 'after' | 'idleMs'> & {
  /** The whole body: `server.limits.upload`. */
  bodyBytes: number
  /** One file. */
  fileBytes: number
}

const ERROR_CODES: Readonly<Record<MultipartCode, ErrorCode>> = {
  not_multipart: 'unsupported_media_type',
  malformed: 'bad_request',
  too_many_parts: 'request_too_large',
  part_header_too_large: 'request_too_large',
  field_too_large: 'request_too_large',
  file_too_large: 'request_too_large',
  body_too_large: 'request_too_large',
}

/** After a Failure the caller closes the sink, which deletes what has arrived. What `onField` throws ends the reading. */
export async function readUpload<Stored>(
  http: Pick<HttpRequest, 'body' | 'headers'>,
  { bodyBytes, fileBytes, after, idleMs }: UploadOptions,
  sink: MultipartSink<Stored>,
  onField?: OnField,
): Promise<MultipartForm<Stored>> {
  try {
    const body = lazily(() => streamBody(http, { limitBytes: bodyBytes, idleMs, after }))
    const limits = { ...MULTIPART_DEFAULTS, bodyBytes, fileBytes }
    return await readMultipart(body, http.headers.get('content-type'), limits, sink, onField)
  } catch (error) {
    throw failureOf(error)
  }
}

/** The content type is checked first: a client that sends JSON must not hear about the limits of uploads. */
function lazily(open: () => ReturnType<typeof streamBody>): ReturnType<typeof streamBody> {
  let opened: ReturnType<typeof streamBody> | undefined
  return {
    read() {
      opened ??= open()
      return opened.read()
    },
  }
}

function failureOf(error: unknown): unknown {
  if (error instanceof MultipartError) {
    const { code, message, part } = error
    return new Failure(ERROR_CODES[code], message, part === undefined ? {} : { param: part })
  }
  if (!(error instanceof BodyFailure)) return error
  const { reason, message, retryAfter } = error.error
  return new Failure(reason, message, retryAfter === undefined ? {} : { retryAfter })
}
