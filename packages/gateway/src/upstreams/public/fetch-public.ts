// Fetches a small content from a URL that comes from outside, such as a caller's image, into memory.
import { PublicFetchError } from './public-fetch-error.ts'
import { type ConnectOptions, checkHeaders, Deadline, guardUntil, readBody, sendPublic } from './send-public.ts'

export type PublicFetchOptions = ConnectOptions & {
  maxBytes: number
  /** The Accept header. */
  accept?: string
}

export type PublicContent = { status: number; contentType: string | undefined; bytes: Uint8Array }

export async function fetchPublic(text: string, options: PublicFetchOptions): Promise<PublicContent> {
  const { maxBytes, accept = '*/*' } = options
  const deadline = new Deadline(options)
  try {
    const target = await guardUntil(text, options, deadline)
    const headers = { accept, 'accept-encoding': 'identity' }
    const response = await sendPublic(target, { method: 'GET', headers }, options, deadline)
    try {
      const status = response.statusCode ?? 0
      if (status >= 300 && status < 400) throw new PublicFetchError('redirected')
      const length = checkHeaders(response, maxBytes)
      const parts = await Array.fromAsync(readBody(response, { maxBytes, length }))
      const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
      return { status, contentType: response.headers['content-type'], bytes }
    } finally {
      response.destroy()
    }
  } finally {
    deadline.end()
  }
}
