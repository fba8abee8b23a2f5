// Reads the form of a transcription as it comes: fields are kept, of the file only its beginning and its length.
import { badRequest, SandboxError } from '../request/errors.ts'

export type UploadedAudio = { bytes: number; beginning: Buffer }
export type AudioForm = { fields: Map<string, string[]>; file: UploadedAudio | undefined }

export const MOST_FILE_BYTES = 25 * 1024 * 1024
const MOST_FIELD_BYTES = 1024 * 1024
const BEGINNING = 64

export async function readAudioForm(request: Request): Promise<AudioForm> {
  const type = request.headers.get('content-type') ?? ''
  const boundary = /^multipart\/form-data\b.*\bboundary="?([^";]+)"?/i.exec(type)?.[1]
  if (boundary === undefined || request.body === null)
    throw new SandboxError({ status: 415, message: 'Unsupported content type: expected multipart/form-data.' })
  const form: AudioForm = { fields: new Map(), file: undefined }
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  // The first delimiter has no line end before it.
  let rest: Buffer = Buffer.from('\r\n')
  let part: Part | undefined
  for await (const chunk of request.body) {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const at = rest.indexOf(delimiter)
      if (at < 0) break
      part?.push(rest.subarray(0, at))
      part?.end(form)
      part = undefined
      const headEnd = rest.indexOf('\r\n\r\n', at + delimiter.length)
      // The head of the part has not come yet, or there is none.
      if (headEnd < 0) {
        rest = rest.subarray(at)
        break
      }
      part = new Part(rest.toString('utf8', at + delimiter.length, headEnd))
      rest = rest.subarray(headEnd + 4)
    }
    if (!part) continue
    const certain = Math.max(0, rest.length - delimiter.length)
    part.push(rest.subarray(0, certain))
    rest = rest.subarray(certain)
  }
  if (!rest.subarray(0, delimiter.length + 2).equals(Buffer.concat([delimiter, Buffer.from('--')])))
    throw badRequest('We could not parse the form of your request.')
  return form
}

class Part {
  readonly #name: string
  readonly #isFile: boolean
  #kept: Buffer = Buffer.alloc(0)
  #bytes = 0

  constructor(head: string) {
    this.#name = /\bname="([^"]*)"/i.exec(head)?.[1] ?? ''
    this.#isFile = /\bfilename=/i.test(head)
  }

  push(bytes: Buffer): void {
    this.#bytes += bytes.length
    if (this.#bytes > (this.#isFile ? MOST_FILE_BYTES : MOST_FIELD_BYTES))
      throw new SandboxError({ status: 413, message: `'${this.#name}' is too large.`, param: this.#name })
    const room = this.#isFile ? BEGINNING - this.#kept.length : bytes.length
    if (room > 0) this.#kept = Buffer.concat([this.#kept, bytes.subarray(0, room)])
  }

  end(form: AudioForm): void {
    if (this.#isFile) form.file = { bytes: this.#bytes, beginning: this.#kept }
    else form.fields.set(this.#name, [...(form.fields.get(this.#name) ?? []), this.#kept.toString()])
  }
}
