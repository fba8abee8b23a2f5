// Reads a form (multipart/form-data, RFC 7578) from a stream. Fields are kept in memory under limits; files go to a sink
// as they arrive, and the body is not read on while the sink is busy.
import { GrowingBuffer } from '../framing/buffers.ts'
import { MultipartError, malformed } from './multipart-error.ts'
import { parseParameters } from './parameters.ts'
import { isFile, type PartHead, parsePartHead } from './part-head.ts'
import { type ByteSource, PartSplitter } from './part-splitter.ts'

export type MultipartLimits = {
  /** Fields and files. */
  parts: number
  /** The headers of one part. */
  headerBytes: number
  nameBytes: number
  filenameBytes: number
  /** One field. */
  fieldBytes: number
  /** All fields. */
  allFieldsBytes: number
  /** One file. */
  fileBytes: number
  /** The body. */
  bodyBytes: number
}

export const MULTIPART_DEFAULTS: Omit<MultipartLimits, 'fileBytes' | 'bodyBytes'> = {
  parts: 128,
  headerBytes: 16 * 1024,
  nameBytes: 256,
  filenameBytes: 1024,
  fieldBytes: 256 * 1024,
  allFieldsBytes: 1024 * 1024,
}

/** `filename`: as the client sent it, possibly a path; never to be used as one. */
export type FilePart = { name: string; filename: string | undefined; contentType: string | undefined }

export type FileSink<Stored> = {
  /** A promise applies backpressure. */
  write(bytes: Uint8Array): undefined | Promise<unknown>
  end(): Stored | Promise<Stored>
}

/** Where files go. What it throws, `readMultipart` throws. After an error its owner discards what it has stored. */
export type MultipartSink<Stored> = { open(part: FilePart): FileSink<Stored> | Promise<FileSink<Stored>> }

export type FormField = { name: string; value: string }
export type FormFile<Stored> = FilePart & { size: number; stored: Stored }
/** In the order received; names may repeat. */
export type MultipartForm<Stored> = { fields: FormField[]; files: FormFile<Stored>[] }

/** Called with each field once it has arrived, before the parts behind it are read. */
export type OnField = (field: FormField) => undefined | Promise<void>

/** Throws MultipartError, and whatever the body, the sink or `onField` throws. */
export async function readMultipart<Stored>(
  body: ByteSource,
  contentType: string | null,
  limits: MultipartLimits,
  sink: MultipartSink<Stored>,
  onField?: OnField,
): Promise<MultipartForm<Stored>> {
  const splitter = new PartSplitter(body, boundaryOf(contentType), limits.bodyBytes)
  const form: MultipartForm<Stored> = { fields: [], files: [] }
  let fieldsBytes = 0
  let next = await splitter.readUntilDelimiter(() => undefined)
  for (let parts = 1; next === 'part'; parts++) {
    if (parts > limits.parts) {
      throw new MultipartError('too_many_parts', `The form has more than ${limits.parts} parts.`)
    }
    const head = parsePartHead(await splitter.readHead(limits.headerBytes), limits)
    if (isFile(head)) next = await readFile(head)
    else next = await readField(head)
  }
  await splitter.readEpilogue()
  return form

  async function readFile(part: PartHead): Promise<'part' | 'end'> {
    const file = await sink.open(part)
    let size = 0
    const next = await splitter.readUntilDelimiter((bytes) => {
      size += bytes.length
      if (size > limits.fileBytes) throw tooLarge('file', part.name, limits.fileBytes)
      return file.write(bytes)
    })
    form.files.push({ ...part, size, stored: await file.end() })
    return next
  }

  async function readField({ name }: PartHead): Promise<'part' | 'end'> {
    const value = new GrowingBuffer()
    const next = await splitter.readUntilDelimiter((bytes) => {
      fieldsBytes += bytes.length
      if (value.length + bytes.length > limits.fieldBytes) throw tooLarge('field', name, limits.fieldBytes)
      if (fieldsBytes > limits.allFieldsBytes) {
        const message = `The fields of the form exceed the limit of ${limits.allFieldsBytes} bytes.`
        throw new MultipartError('field_too_large', message, name)
      }
      value.append(bytes)
      return undefined
    })
    const field = { name, value: decodeField(name, value.append(NOTHING)) }
    form.fields.push(field)
    await onField?.(field)
    return next
  }
}

const NOTHING = new Uint8Array(0)

function decodeField(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw malformed('A field is not valid UTF-8.', name)
  }
}

const tooLarge = (what: 'field' | 'file', name: string, bytes: number) =>
  new MultipartError(`${what}_too_large`, `The ${what} exceeds the limit of ${bytes} bytes.`, name)

/** RFC 2046, section 5.1.1. */
const MAX_BOUNDARY = 70

/** The boundary that a content type announces. Throws MultipartError if it is not a form with a valid one. */
function boundaryOf(contentType: string | null): string {
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
