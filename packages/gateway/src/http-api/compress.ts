// Responses of the console API as few bytes: gzip where the client accepts it, and 304 for what the client has already. The work is
// done on threads of the platform, not on the one that serves requests.
import { promisify } from 'node:util'
import { constants, createGzip, gzip } from 'node:zlib'
import type { HttpRequest } from '@trivium/http/request.ts'
import type { HttpResponse, ResponseHeaders } from '@trivium/http/response.ts'
import { clientHas, listOf } from '../request/header-lists.ts'

/** Shorter bodies fit into one packet as they are. */
const SHORTEST = 1024
/** Half of the CPU time of the default level, for a tenth more bytes. */
const LEVEL = 3

const compress = promisify(gzip)
const NOTHING = new Uint8Array()

type Request = Pick<HttpRequest, 'headers'>

/** A response with its whole body. `known`: its validator, if it does not stand for all of its bytes; then it is always sent. */
export async function transferred(
  { headers: asked }: Request,
  response: HttpResponse,
  known?: string,
): Promise<HttpResponse> {
  const { body, headers } = response
  if (response.status !== 200 || !(body instanceof Uint8Array)) return response
  const tag = known ?? `W/"${Bun.hash(body).toString(36)}"`
  headers.set('etag', tag)
  headers.set('vary', 'accept-encoding')
  if (known === undefined && clientHas(tag, asked)) {
    headers.remove('content-type')
    return { status: 304, headers, body: NOTHING }
  }
  if (body.length < SHORTEST || !acceptsGzip({ headers: asked })) return response
  headers.set('content-encoding', 'gzip')
  return { ...response, body: await compress(body, { level: LEVEL }) }
}

/** `*` stands for every encoding that is not named; `q=0` excludes one. */
export function acceptsGzip({ headers }: Request): boolean {
  const entries = listOf(headers.get('accept-encoding')?.toLowerCase() ?? null).map((each) => each.replaceAll(' ', ''))
  const entry = entries.find((each) => /^gzip(;|$)/.test(each)) ?? entries.find((each) => /^\*(;|$)/.test(each))
  return entry !== undefined && !/;q=0(\.0*)?$/.test(entry)
}

export type Compressor = {
  /** What of the compressed stream is known after these bytes. */
  add(bytes: Uint8Array): Promise<Uint8Array>
  /** The same after the last bytes. */
  end(bytes: Uint8Array): Promise<Uint8Array>
}

/** For a body that is written piece by piece. Sets the header; undefined: the client does not accept gzip. */
export function compressorFor(request: Request, headers: ResponseHeaders): Compressor | undefined {
  headers.set('vary', 'accept-encoding')
  if (!acceptsGzip(request)) return undefined
  headers.set('content-encoding', 'gzip')
  const stream = createGzip({ level: LEVEL })
  let made: Buffer[] = []
  stream.on('data', (bytes: Buffer) => made.push(bytes))
  const taken = (): Uint8Array => {
    const bytes = Buffer.concat(made)
    made = []
    return bytes
  }
  return {
    add: (bytes) =>
      new Promise((resolve, reject) => {
        stream.once('error', reject)
        stream.write(bytes)
        stream.flush(constants.Z_SYNC_FLUSH, () => {
          stream.off('error', reject)
          resolve(taken())
        })
      }),
    end: (bytes) =>
      new Promise((resolve, reject) => {
        stream.once('error', reject)
        stream.once('end', () => resolve(taken()))
        stream.end(bytes)
      }),
  }
}
