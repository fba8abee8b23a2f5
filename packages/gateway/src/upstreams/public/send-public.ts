// One request to a checked host. Only the checked addresses are connected to, while the Host header and the certificate check use
// the name. node:http(s) is used because its `lookup` makes that possible and because, unlike `fetch`, it follows no
// redirect, takes no proxy from the environment, keeps no connection and decodes nothing by itself.
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { formatIp, type Ip, parseIp } from '@trivium/http/addresses/ip-address.ts'
import { type GuardOptions, guardPublic, type Target } from './guard-public.ts'
import { PublicFetchError, type PublicFetchReason } from './public-fetch-error.ts'

export type ConnectOptions = GuardOptions & {
  /** For resolving, connecting, waiting and reading together. */
  timeoutMs: number
  signal?: AbortSignal
  /** PEM certificates to trust in place of the built-in ones. */
  ca?: string
}

export type PublicRequest = {
  method: 'GET' | 'POST' | 'PUT'
  headers: Record<string, string>
  body?: Uint8Array | string
}

/** The time limit and the caller's signal, as one signal whose reason is a PublicFetchError. */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #caller: AbortSignal | undefined
  readonly #onAbort = () => this.abort('aborted')

  constructor({ timeoutMs, signal }: Pick<ConnectOptions, 'timeoutMs' | 'signal'>) {
    this.#timer = setTimeout(() => this.abort('timed_out'), timeoutMs)
    this.#caller = signal
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (signal?.aborted) this.#onAbort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  abort(reason: PublicFetchReason): void {
    this.#controller.abort(new PublicFetchError(reason))
  }

  /** Aborts if `work` takes longer. */
  async within<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => this.abort('timed_out'), limitMs)
    try {
      return await work()
    } finally {
      clearTimeout(timer)
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#onAbort)
  }
}

/** The system's resolver cannot be cancelled, so its result is not awaited after an abort. */
export function guardUntil(text: string, options: GuardOptions, { signal }: Deadline): Promise<Target> {
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason)
    if (signal.aborted) return give()
    signal.addEventListener('abort', give, { once: true })
    guardPublic(text, options).then(resolve, reject)
  })
}

/** Answers with the checked addresses and nothing else, whatever name is asked for. */
function pinnedLookup(addresses: readonly Ip[]): LookupFunction {
  const pinned = addresses.map((ip) => ({ address: formatIp(ip), family: ip.family }))
  return (_host, { all }, callback) => {
    const [first] = pinned
    if (all === true) callback(null, pinned)
    else callback(null, first?.address ?? '', first?.family)
  }
}

/**
 * Resolves once the headers have arrived. The response must be read to its end or destroyed. An abort closes the connection;
 * reading the body then throws the reason of the signal.
 */
export function sendPublic(
  { url, host, port, addresses }: Target,
  { method, headers, body }: PublicRequest,
  { ca }: Pick<ConnectOptions, 'ca'>,
  { signal }: Deadline,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let request: ClientRequest | undefined
    let response: IncomingMessage | undefined
    const fail = (error: unknown) => {
      reject(asFetchError(error))
      request?.destroy()
    }
    const onAbort = () => (response ? response.destroy(signal.reason) : fail(signal.reason))
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    request = send({
      method,
      hostname: host,
      port,
      path: url.pathname + url.search,
      headers,
      agent: false,
      lookup: pinnedLookup(addresses),
      // Explicit, so that NODE_TLS_REJECT_UNAUTHORIZED in the environment cannot switch it off.
      rejectUnauthorized: true,
      ...(ca === undefined ? {} : { ca }),
    })
    request.on('error', fail)
    // 101 Switching Protocols is neither a response nor an error: the connection just closes.
    request.on('close', () => response ?? fail(new PublicFetchError('broken')))
    request.on('response', (received) => {
      // If the connection ever leads to another address than those checked, nothing of it is returned.
      const peer = parseIp(received.socket.remoteAddress ?? '')
      if (!addresses.some((ip) => ip.family === peer?.family && ip.value === peer.value))
        return fail(new PublicFetchError('not_public'))
      response = received
      // An error while the body is not read is thrown to the next reader; as an event without a listener it would end the process.
      received.on('error', () => {})
      resolve(received)
    })
    request.end(body)
  })
}

/** The declared length of the body. Throws if it is above `maxBytes`, or if the content is compressed. */
export function checkHeaders({ headers }: IncomingMessage, maxBytes: number): number | undefined {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') throw new PublicFetchError('encoded')
  const length = headers['content-length']
  if (length === undefined) return undefined
  if (Number(length) > maxBytes) throw new PublicFetchError('too_large')
  return Number(length)
}

/** The body of a response, read no faster than it is consumed. Closes the connection at the end. */
export async function* readBody(
  response: IncomingMessage,
  { maxBytes, length }: { maxBytes: number; length: number | undefined },
  next: <T>(read: () => Promise<T>) => Promise<T> = (read) => read(),
): AsyncGenerator<Uint8Array> {
  let size = 0
  try {
    const pieces = (response as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    for (;;) {
      // Throws when the connection ends before the body does.
      const piece = await next(() => pieces.next())
      if (piece.done) break
      size += piece.value.byteLength
      if (size > maxBytes) throw new PublicFetchError('too_large')
      yield piece.value
    }
    if (length !== undefined && size !== length) throw new PublicFetchError('broken')
  } catch (error) {
    throw asFetchError(error)
  } finally {
    response.destroy()
  }
}

function asFetchError(error: unknown): PublicFetchError {
  return error instanceof PublicFetchError ? error : new PublicFetchError(reasonOf(error), { cause: error })
}

function reasonOf(error: unknown): PublicFetchReason {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^(E(CONN(REFUSED|ABORTED)|HOSTUNREACH|NETUNREACH|ADDRNOTAVAIL|TIMEDOUT|ACCES|PERM))$/.test(code))
    return 'unreachable'
  if (/CERT|TLS|SSL|SIGNATURE|ISSUER|CHAIN|CRL|HOSTNAME/.test(code)) return 'untrusted'
  return 'broken'
}
