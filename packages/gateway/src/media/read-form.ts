// Reads a form (multipart/form-data): its files into the spool, its fields into memory. What the files are is for an inspector
// to say, and what can be rejected is rejected before they have arrived. Everything that can be wrong is a Failure.

import { createHash } from 'node:crypto'
import { NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
import { BodyFailure, streamBody } from '@trivium/http/bodies/stream-body.ts'
import { type MultipartCode, MultipartError } from '@trivium/http/multipart/multipart-error.ts'
import {
  type FilePart,
  type FormField,
  type FormFile,
  MULTIPART_DEFAULTS,
  type MultipartLimits,
  type MultipartSink,
  type OnField,
  readMultipart,
} from '@trivium/http/multipart/read-multipart.ts'
import type { HttpRequest } from '@trivium/http/request.ts'
import type { ErrorCode } from '@trivium/protocol/canonical/error.ts'
import { bodyFailure, Failure } from '../request/failure.ts'
import { type BodySlot, bodyTimeout, type ReadDependencies } from '../request/read-json.ts'
import type { Spool, SpooledFile } from './spool.ts'

export type ReadFormDependencies = ReadDependencies & { spool: Spool }

export type UploadedFile = FormFile<SpooledFile>

/** What an endpoint takes. */
export type FormRules<Inspected> = {
  /** One file. */
  fileBytes: number
  /** One field, and all of them. Absent: those of other forms. */
  fields?: Pick<MultipartLimits, 'fieldBytes' | 'allFieldsBytes'>
  /** A file has begun, and so many bytes of it are known. What it throws ends the reading: the rest need not arrive. */
  began?(part: FilePart, bytes: number): void
  /** A field has arrived. What it throws ends the reading. */
  onField?: OnField
  /** What the file is, by its content; name and content type are the client's word. What it throws rejects the form. */
  inspect(file: UploadedFile): Inspected | Promise<Inspected>
}

export type FormContext = {
  account: bigint
  /** The whole body: `server.limits.upload`. */
  bodyBytes: number
  slot: Pick<BodySlot, 'received' | 'turn' | 'charge'>
  /** The request has an idempotency key: the contents of its files are part of its fingerprint. */
  isRepeatable: boolean
}

export type Form<Inspected> = {
  /** In the order received; names may repeat. */
  fields: FormField[]
  files: Inspected[]
  /** The same for the same form. */
  fingerprint: Uint8Array
  /** Deletes the files. */
  close(): Promise<void>
}

export async function readForm<Inspected>(
  http: HttpRequest,
  { account, bodyBytes, slot, isRepeatable }: FormContext,
  { fileBytes, fields, began, onField, inspect }: FormRules<Inspected>,
  deps: ReadFormDependencies,
): Promise<Form<Inspected>> {
  const turn = slot.turn(0, http)
  if (turn) await turn
  const spooled = deps.spool.open(account)
  const hashes: [string, string][] = []
  try {
    const body = lazily(() => streamBody(http, { limitBytes: bodyBytes, ...bodyTimeout(deps) }))
    const limits = { ...MULTIPART_DEFAULTS, ...fields, bodyBytes, fileBytes }
    const hashed = isRepeatable ? hashing(spooled, hashes) : spooled
    const sink = began ? announcing(hashed, began) : hashed
    const form = await readMultipart(body, http.headers.get('content-type'), limits, sink, onField)
    // One after the other: the beginning of each is read into memory.
    const files: Inspected[] = []
    for (const file of form.files) files.push(await inspect(file))
    const fingerprint = Buffer.from(JSON.stringify([form.fields, hashes]))
    if (!slot.received(fingerprint.length)) throw bodyFailure(NO_MEMORY)
    return { fields: form.fields, files, fingerprint, close: spooled.close }
  } catch (error) {
    await spooled.close()
    throw failureOf(error)
  } finally {
    slot.charge(http.body.received / BYTES_PER_MS)
  }
}

/** What the pieces of a form take on the main thread until they are on disk. */
const BYTES_PER_MS = 2 * 1024 * 1024

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

/** An input of a browser that was left empty has neither a name nor a byte, and is not announced. */
const announcing = (
  sink: MultipartSink<SpooledFile>,
  began: (part: FilePart, bytes: number) => void,
): MultipartSink<SpooledFile> => ({
  async open(part) {
    let isEmpty = part.filename === ''
    if (!isEmpty) began(part, 0)
    const file = await sink.open(part)
    return {
      write(bytes) {
        if (isEmpty && bytes.length > 0) {
          isEmpty = false
          began(part, bytes.length)
        }
        return file.write(bytes)
      },
      end: () => file.end(),
    }
  },
})

const hashing = (sink: MultipartSink<SpooledFile>, hashes: [string, string][]): MultipartSink<SpooledFile> => ({
  async open(part) {
    const file = await sink.open(part)
    const hash = createHash('sha256')
    return {
      write(bytes) {
        hash.update(bytes)
        return file.write(bytes)
      },
      end() {
        hashes.push([part.name, hash.digest('base64url')])
        return file.end()
      },
    }
  },
})

const ERROR_CODES: Readonly<Record<MultipartCode, ErrorCode>> = {
  not_multipart: 'unsupported_media_type',
  malformed: 'bad_request',
  too_many_parts: 'request_too_large',
  part_header_too_large: 'request_too_large',
  field_too_large: 'request_too_large',
  file_too_large: 'request_too_large',
  body_too_large: 'request_too_large',
}

function failureOf(error: unknown): unknown {
  if (error instanceof BodyFailure) return bodyFailure(error.error)
  if (!(error instanceof MultipartError)) return error
  const { code, message, part } = error
  return new Failure(ERROR_CODES[code], message, part === undefined ? {} : { param: part })
}
