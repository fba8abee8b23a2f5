// The head of a request: what all requests to an upstream have in common, and the first line.

/** With these a value would begin another header, or could not be written in one byte. */
const UNSAFE = /[^\t\x20-\xff]/
/** What may not stand in an address as it is, or would be taken out of it: that is for `URL` to write properly. */
const NOT_PLAIN = /[^\x21\x24-\x5b\x5d-\x7e]|\/\./

const NOTHING = new Uint8Array()

export class RequestHeadWriter {
  /** `http://host:port`. */
  readonly origin: string
  /** Where all paths begin. */
  readonly #base: string
  readonly #lines: string
  #path: string | undefined
  #start: Uint8Array = NOTHING

  constructor(baseUrl: string, headers: Readonly<Record<string, string>>) {
    const { origin, host, pathname } = new URL(baseUrl)
    let lines = `host: ${host}\r\n`
    for (const name in headers) {
      const value = headers[name] ?? ''
      if (UNSAFE.test(value)) throw new TypeError(`The header ${name} has a character that no header may have.`)
      lines += `${name}: ${value}\r\n`
    }
    this.origin = origin
    this.#base = pathname.replace(/\/$/, '')
    this.#lines = lines
  }

  get(path: string): Uint8Array {
    return this.#written('GET', path, '\r\n')
  }

  /** All of it up to the length of the body. Kept: most requests go where the one before has gone. */
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

/** `URL` only where it is needed: it costs more than the rest of a head. */
export function requestTarget(base: string, path: string): string {
  if (!NOT_PLAIN.test(path)) return base + path
  const { pathname, search } = new URL(`http://host${base}${path}`)
  return pathname + search
}
