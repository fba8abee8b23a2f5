// The head of a request. The part that all requests to an upstream share is written once.

/** Characters that would start another header, or do not fit into one byte. */
const UNSAFE = /[^\t\x20-\xff]/
/** Characters that must be percent-encoded, and dot segments that must be removed: `URL` does both. */
const NOT_PLAIN = /[^\x21\x24-\x5b\x5d-\x7e]|\/\./

const NOTHING = new Uint8Array()

export class RequestHeadWriter {
  /** `http://host:port`. */
  readonly origin: string
  /** The path of the base URL. */
  readonly #base: string
  readonly #lines: string
  #path: string | undefined
  #start: Uint8Array = NOTHING

  constructor(baseUrl: string, headers: Readonly<Record<string, string>>) {
    const { origin, host, pathname } = new URL(baseUrl)
    let lines = `host: ${host}\r\n`
    for (const name in headers) {
      const value = headers[name] ?? ''
      if (UNSAFE.test(value))
        throw new TypeError(`The header ${name} contains a character that is not allowed in headers.`)
      lines += `${name}: ${value}\r\n`
    }
    this.origin = origin
    this.#base = pathname.replace(/\/$/, '')
    this.#lines = lines
  }

  get(path: string): Uint8Array {
    return this.#written('GET', path, '\r\n')
  }

  /** The head up to the value of content-length. Cached, because most requests have the path of the one before. */
  post(path: string): Uint8Array {
    if (this.#path !== path) {
      this.#start = this.#written('POST', path, 'content-length: ')
      this.#path = path
    }
    return this.#start
  }

  #written(method: string, path: string, end: string): Uint8Array {
    return Buffer.from(`${method} ${requestTarget(this.#base, path)} HTTP/1.1\r\n${this.#lines}${end}`, 'latin1')
  }
}

/** `URL` is used only where it is needed: it costs more than the rest of the head. */
export function requestTarget(base: string, path: string): string {
  if (!NOT_PLAIN.test(path)) return base + path
  const { pathname, search } = new URL(`http://host${base}${path}`)
  return pathname + search
}
