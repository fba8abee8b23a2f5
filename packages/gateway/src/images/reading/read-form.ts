// Reads the form of an edit. Its files go to disk, and what can be rejected is rejected before they have arrived.

import { createHash } from 'node:crypto'
import { NO_MEMORY } from '@trivium/http/bodies/body-error.ts'
import type { MultipartSink, FormFile as UploadedFile } from '@trivium/http/multipart/read-multipart.ts'
import { decodeImageForm, FileRules, type FormFile } from '@trivium/protocol/dialects/images/request/decode-form.ts'
import { readUpload } from '../../media/read-upload.ts'
import type { Spool, SpooledFile } from '../../media/spool.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import { bodyFailure, Failure } from '../../request/failure.ts'
import { BODY_IDLE_MS, type ReadDependencies as JsonDependencies } from '../../request/read-json.ts'
import { inspectImage, MOST_PIXELS } from '../inspect-image.ts'
import type { ReadContext, ReadRequest } from './read-request.ts'

export type ReadFormDependencies = JsonDependencies & { spool: Spool }

const IMAGE_BYTES = 50 * 1024 * 1024

export async function readForm(
  { http, record }: ApiRequest,
  { caller, slot, catalogue: { config }, isRepeatable, offerOf, checkFunds }: ReadContext,
  deps: ReadFormDependencies,
): Promise<ReadRequest> {
  await checkFunds()
  const spooled = deps.spool.open(caller.account)
  try {
    const { uploadBytes: bodyBytes } = config.server.limits
    const { after } = deps.ticker
    const idleMs = deps.bodyIdleMs ?? BODY_IDLE_MS
    const sink = ruled(isRepeatable ? hashing(spooled) : spooled)
    const onField = async ({ name, value }: { name: string; value: string }) => {
      if (name === 'model' && value !== '') await checkFunds(offerOf(value))
    }
    const limits = { bodyBytes, fileBytes: IMAGE_BYTES, after, idleMs }
    const { fields, files } = await readUpload(http, limits, sink, onField)
    // One after the other: the beginning of each is read into memory.
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
    name,
    bytes: size,
    mediaType: size === 0 ? 'image/png' : image?.type,
    ...(filename === undefined ? {} : { filename }),
    source: { kind: 'file', handle: stored.path },
  }
}

/** A file that an edit does not take is rejected with its first byte. */
function ruled<Stored>(sink: MultipartSink<Stored>): MultipartSink<Stored> {
  const rules = new FileRules()
  return {
    async open(part) {
      const { name, filename } = part
      // Without a name and without a byte it is an input of a browser that was left empty.
      const began = (bytes: number) => rules.began({ name, bytes, ...(filename === undefined ? {} : { filename }) })
      let isEmpty = filename === ''
      if (!isEmpty) began(0)
      const file = await sink.open(part)
      return {
        write(bytes) {
          if (isEmpty && bytes.length > 0) {
            isEmpty = false
            began(bytes.length)
          }
          return file.write(bytes)
        },
        end: () => file.end(),
      }
    },
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
