// Reads audio that was sent in JSON: to disk, like the file of a form.

import { createHash } from 'node:crypto'
import { MULTIPART_DEFAULTS, type OnField } from '@trivium/http/multipart/read-multipart.ts'
import type { FormFile } from '@trivium/protocol/dialects/chat/transcription/decode-form.ts'
import { decodeJsonForm } from '@trivium/protocol/dialects/chat/transcription/decode-json.ts'
import { codec } from '../bytes/codec.ts'
import type { Form, ReadFormDependencies, UploadedFile } from '../media/read-form.ts'
import type { Kind, PaidRequest } from '../paid-call/paid-request.ts'
import { memoryFailure } from '../request/failure.ts'
import { readJson } from '../request/read-json.ts'
import { MEASURED_BYTES } from '../request/turns.ts'

type Rules = {
  /** The most bytes of all fields together. */
  fieldsBytes: number
  onField(field: Parameters<OnField>[0]): Promise<void>
  inspect(file: UploadedFile): Promise<FormFile>
}

export async function readJsonForm(
  { incoming: { http }, caller, slot, catalogue, idempotencyKey }: PaidRequest<Kind>,
  { fieldsBytes, onField, inspect }: Rules,
  deps: ReadFormDependencies,
): Promise<Form<FormFile>> {
  const { bodyBytes, uploadBytes, memoryBytes, values } = catalogue.config.server.limits
  const bounds = { values, fields: MULTIPART_DEFAULTS.parts, bytes: fieldsBytes }
  const read = await readJson(http, Math.min(bodyBytes, uploadBytes), slot, deps, (body) => {
    // Beside the body: its text, and the audio.
    const parsed = 3 * body.length
    if (body.length > MEASURED_BYTES && !slot.weigh(parsed)) throw memoryFailure(parsed, memoryBytes)
    const { base64, ...form } = decodeJsonForm(body, codec, bounds)
    return { ...form, audio: Buffer.from(base64, 'base64') }
  })
  const { fields, filename, audio } = read
  for (const field of fields) await onField(field)
  const spooled = deps.spool.open(caller.account)
  try {
    const part = { name: 'file', filename, contentType: undefined }
    const sink = await spooled.open(part)
    await sink.write(audio)
    const file = await inspect({ ...part, size: audio.length, stored: await sink.end() })
    // Only a request that may be repeated is compared with another.
    const hash = idempotencyKey === null ? '' : createHash('sha256').update(audio).digest('base64url')
    const fingerprint = Buffer.from(JSON.stringify([fields, filename ?? '', hash]))
    return { fields, files: [file], fingerprint, close: spooled.close }
  } catch (error) {
    await spooled.close()
    throw error
  }
}
