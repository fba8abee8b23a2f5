// For tests: forms from pieces, and files in memory.
import {
  type FilePart,
  MULTIPART_DEFAULTS,
  type MultipartLimits,
  type MultipartSink,
  readMultipart,
} from '../src/multipart/read-multipart.ts'

export const LIMITS: MultipartLimits = { ...MULTIPART_DEFAULTS, fileBytes: 10_000, bodyBytes: 1_000_000 }

export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

export function sourceOf(pieces: readonly Uint8Array[]) {
  const left = [...pieces]
  return { read: () => left.shift() }
}

/** Stores files as text of one-byte characters. */
export function memorySink(opened: FilePart[] = []): MultipartSink<string> {
  return {
    open(part) {
      opened.push(part)
      let text = ''
      return {
        async write(bytes) {
          const seen = Buffer.from(bytes).toString('latin1')
          await null
          text += seen
        },
        end: () => text,
      }
    },
  }
}

/** The form, or the code of the error and the part that it is about. */
export async function outcomeOf(
  pieces: readonly Uint8Array[],
  contentType: string | null = 'multipart/form-data; boundary=b',
  limits: Partial<MultipartLimits> = {},
) {
  try {
    return await readMultipart(sourceOf(pieces), contentType, { ...LIMITS, ...limits }, memorySink())
  } catch (error) {
    const { code, part, message } = error as { code?: string; part?: string; message: string }
    return { code, part, message }
  }
}

export type TestPart = { head: string; content: string }

export const bodyOf = (parts: readonly TestPart[], boundary = 'b'): Buffer =>
  latin1(
    `${parts.map(({ head, content }) => `--${boundary}\r\n${head}\r\n\r\n${content}\r\n`).join('')}--${boundary}--\r\n`,
  )

export const field = (name: string, content: string): TestPart => ({
  head: `Content-Disposition: form-data; name="${name}"`,
  content,
})
export const file = (name: string, filename: string, content: string): TestPart => ({
  head: `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: image/png`,
  content,
})
