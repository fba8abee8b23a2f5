// Downloads a content of any size from a URL that comes from outside, such as a vendor's link to a finished video, as a stream.
import type { IncomingMessage } from 'node:http'
import type { Target } from './guard-public.ts'
import { type Pace, PaceMeter } from './pace.ts'
import { PublicFetchError } from './public-fetch-error.ts'
import { type ConnectOptions, checkHeaders, Deadline, guardUntil, readBody, sendPublic } from './send-public.ts'

export type DownloadOptions = ConnectOptions & {
  /** For the whole body. */
  maxBytes: number
  /** For each wait for the host: for its headers, and for the next bytes. Time that the reader takes does not count. */
  idleMs: number
  /** The least rate of the body. Absent: any. */
  pace?: Pace
  /** The Accept header. */
  accept?: string
  /** Credentials of an upstream. Sent only to hosts for which `allowHost` is true, and not after a redirect to another origin. */
  headers?: Readonly<Record<string, string>>
  /** How many redirects are followed; 0 by default. Every one is checked like the first URL. */
  redirects?: number
}

export type Download = {
  status: number
  contentType: string | undefined
  /** As declared by the host. */
  length: number | undefined
  /** Can be read once. Throws PublicFetchError. */
  body: AsyncIterable<Uint8Array>
  /** Closes the connection. Must be called if the body is not read; harmless in any case. */
  discard(): void
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Resolves once the headers have arrived, whatever the status. Throws PublicFetchError. */
export async function downloadPublic(text: string, options: DownloadOptions): Promise<Download> {
  const { maxBytes, idleMs } = options
  const deadline = new Deadline(options)
  let response: IncomingMessage | undefined
  const discard = () => {
    deadline.end()
    response?.destroy()
  }
  try {
    response = await follow(text, options, deadline)
    const length = checkHeaders(response, maxBytes)
    async function* read(from: IncomingMessage): AsyncGenerator<Uint8Array> {
      try {
        const body = readBody(from, { maxBytes, length }, (next) => deadline.within(idleMs, next))
        yield* options.pace ? paced(body, new PaceMeter(options.pace)) : body
      } finally {
        discard()
      }
    }
    const contentType = response.headers['content-type']
    return { status: response.statusCode ?? 0, contentType, length, body: read(response), discard }
  } catch (error) {
    discard()
    throw error
  }
}

async function* paced(body: AsyncIterable<Uint8Array>, meter: PaceMeter): AsyncGenerator<Uint8Array> {
  let since = performance.now()
  for await (const piece of body) {
    if (!meter.arrived(piece.length, performance.now() - since)) throw new PublicFetchError('timed_out')
    yield piece
    since = performance.now()
  }
}

/** The first response that is no redirect. */
async function follow(text: string, options: DownloadOptions, deadline: Deadline): Promise<IncomingMessage> {
  let from: Target | undefined
  let credentials = options.headers ?? {}
  for (let left = options.redirects ?? 0; ; left--) {
    const response = await deadline.within(options.idleMs, async () => {
      const target = await guardUntil(text, options, deadline)
      // Once dropped they stay dropped: a redirect back to the upstream is another host's choice.
      const isTrusted = options.allowHost?.(target.host, target.port) === true
      if (!isTrusted || (from && from.url.origin !== target.url.origin)) credentials = {}
      from = target
      const headers = { ...credentials, accept: options.accept ?? '*/*', 'accept-encoding': 'identity' }
      return sendPublic(target, { method: 'GET', headers }, options, deadline)
    })
    const status = response.statusCode ?? 0
    if (status < 300 || status >= 400) return response
    response.destroy()
    const { location } = response.headers
    if (left <= 0 || location === undefined || !REDIRECTS.has(status)) throw new PublicFetchError('redirected')
    const base = from?.url.href
    if (!URL.canParse(location, base)) throw new PublicFetchError('bad_url')
    text = new URL(location, base).href
  }
}
