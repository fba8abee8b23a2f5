// Reads a request for images: the JSON body of a generation, or the form of an edit, whose files go to disk.

import { createHash } from 'node:crypto'
import { NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
import type { MultipartSink, FormFile as UploadedFile } from '@trivium/http/multipart/read-multipart.ts'
import type { ImageRequest } from '@trivium/protocol/canonical/image.ts'
import { decodeImageForm, type FormFile } from '@trivium/protocol/dialects/images/request/decode-form.ts'
import { decodeImageRequest } from '@trivium/protocol/dialects/images/request/decode-request.ts'
import { bodyFailure, Failure } from '../access/failure.ts'
import type { IncomingRequest } from '../access/incoming-request.ts'
import type { Catalogue } from '../access/models/catalogue.ts'
import { codec } from '../bytes/codec.ts'
import { readUpload } from '../media/read-upload.ts'
import type { Spool, SpooledFile } from '../media/spool.ts'
import type { Slot } from '../overload/admission.ts'
import { BODY_IDLE_MS, type ReadDependencies as JsonDependencies, readJson } from '../paid-call/read-json.ts'
import { inspectImage, MOST_PIXELS } from './inspect-image.ts'

export type ReadDependencies = JsonDependencies & { spool: Spool }

export type ReadRequest = Readonly<{
  request: ImageRequest
  /** The same for the same request: of the body, or of all parts of the form. */
  fingerprint: Uint8Array
  /** Deletes uploaded files. */
  close(): Promise<void>
}>

const IMAGE_BYTES = 50 * 1024 * 1024

export async function readGeneration(
  incoming: IncomingRequest,
  slot: Slot,
  { config }: Catalogue,
  deps: ReadDependencies,
): Promise<ReadRequest> {
  const body = await readJson(incoming.http, config.server.limits.bodyBytes, slot, deps)
  const request = decodeImageRequest(body, codec)
  incoming.record.model = request.model
  return { request, fingerprint: body, close: async () => {} }
}

type UploadContext = { account: bigint; slot: Slot; catalogue: Catalogue; isRepeatable: boolean }

export async function readEdit(
  { http, record }: IncomingRequest,
  { account, slot, catalogue: { config }, isRepeatable }: UploadContext,
  deps: ReadDependencies,
): Promise<ReadRequest> {
  const spooled = deps.spool.open(account)
  try {
    const { uploadBytes: bodyBytes } = config.server.limits
    const { after } = deps.ticker
    const idleMs = deps.bodyIdleMs ?? BODY_IDLE_MS
    const sink = isRepeatable ? hashing(spooled) : spooled
    const { fields, files } = await readUpload(http, { bodyBytes, fileBytes: IMAGE_BYTES, after, idleMs }, sink)
    // One after the other: a form may have many files, and the beginning of each is read into memory.
    const images: FormFile[] = []
    for (const file of files) images.push(await inspected(file))
    const request = decodeImageForm(fields, images)
    record.model = request.model
    const hashes = files.map(({ name, stored }) => [name, 'hash' in stored ? stored.hash : ''])
    const fingerprint = Buffer.from(JSON.stringify([fields, hashes]))
    if (!slot.received(fingerprint.length)) throw bodyFailure(NO_MEMORY)
    return { request, fingerprint, close: spooled.close }
  } catch (error) {
    await spooled.close()
    throw error
  }
}

/** What the file is, by its content. */
async function inspected({ name, filename, size, stored }: UploadedFile<SpooledFile>): Promise<FormFile> {
  const image = size === 0 ? undefined : await inspectImage(Bun.file(stored.path))
  if (image === 'too_many_pixels') {
    throw new Failure('bad_request', `${name} has more than ${MOST_PIXELS} pixels.`, { param: name })
  }
  return {
    ...{ name, bytes: size, mediaType: size === 0 ? 'image/png' : image?.type },
    ...(filename === undefined ? {} : { filename }),
    source: { kind: 'file', handle: stored.path },
  }
}

/** The files of a repeated request must be the same: their hashes are part of its fingerprint. */
const hashing = (sink: MultipartSink<SpooledFile>): MultipartSink<SpooledFile & { hash: string }> => ({
  async open(part) {
    const file = await sink.open(part)
    const hash = createHash('sha256')
    return {
      write(bytes) {
        hash.update(bytes)
        return file.write(bytes)
      },
      end: async () => ({ ...(await file.end()), hash: hash.digest('base64url') }),
    }
  },
})
