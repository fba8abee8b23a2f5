// A request whose response is small and read whole, with the rules for URLs that come from outside: no redirects, no private hosts.
import type { Target } from './guard-public.ts'
import { PublicFetchError } from './public-fetch-error.ts'
import {
  type ConnectOptions,
  checkHeaders,
  Deadline,
  guardUntil,
  type PublicRequest,
  readBody,
  sendPublic,
} from './send-public.ts'

export type PublicAnswer = { status: number; headers: Record<string, string>; bytes: Uint8Array }

export async function askPublic(
  text: string,
  request: PublicRequest,
  options: ConnectOptions & { maxBytes: number },
): Promise<PublicAnswer> {
  return await askTarget((deadline) => guardUntil(text, options, deadline), request, options)
}

/** The same of a host that `find` vouches for. */
export async function askTarget(
  find: (deadline: Deadline) => Promise<Target>,
  request: PublicRequest,
  options: Pick<ConnectOptions, 'timeoutMs' | 'signal' | 'ca'> & { maxBytes: number },
): Promise<PublicAnswer> {
  const deadline = new Deadline(options)
  try {
    const target = await find(deadline)
    const length = request.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(request.body)) }
    const headers = { ...request.headers, 'accept-encoding': 'identity', ...length }
    const response = await sendPublic(target, { ...request, headers }, options, deadline)
    const status = response.statusCode ?? 0
    if (status >= 300 && status < 400) {
      response.destroy()
      throw new PublicFetchError('redirected')
    }
    const { maxBytes } = options
    const parts = await Array.fromAsync(readBody(response, { maxBytes, length: checkHeaders(response, maxBytes) }))
    const single = Object.entries(response.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    )
    return { status, headers: Object.fromEntries(single), bytes: Buffer.concat(parts) }
  } finally {
    deadline.end()
  }
}
