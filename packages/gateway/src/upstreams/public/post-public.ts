// Sends a callback to a URL that comes from outside.
import { type ConnectOptions, Deadline, guardUntil, readBody, sendPublic } from './send-public.ts'

export type PostOptions = ConnectOptions & {
  body: Uint8Array | string
  contentType: string
  headers?: Readonly<Record<string, string>>
}

/** What is read of a response, so that the receiver can finish it. */
const MOST_BYTES = 64 * 1024

/**
 * Resolves with the status, also if it is a redirect, which is not followed. Throws PublicFetchError if there is none in time.
 * What happens to the body of the response does not matter.
 */
export async function postPublic(text: string, options: PostOptions): Promise<number> {
  const { contentType, body } = options
  const deadline = new Deadline(options)
  try {
    const target = await guardUntil(text, options, deadline)
    const headers = {
      ...options.headers,
      accept: '*/*',
      'accept-encoding': 'identity',
      'content-type': contentType,
      'content-length': String(Buffer.byteLength(body)),
    }
    const response = await sendPublic(target, { method: 'POST', headers, body }, options, deadline)
    await Array.fromAsync(readBody(response, { maxBytes: MOST_BYTES, length: undefined })).catch(() => {})
    return response.statusCode ?? 0
  } finally {
    deadline.end()
  }
}
