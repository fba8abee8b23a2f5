// Writes the head of a request.

/** Characters that would start another header, or do not fit into one byte. */
const UNSAFE = /[^\t\x20-\xff]/
/** Characters that must be percent-encoded, and dot segments that must be removed: `URL` does both. */
const NOT_PLAIN = /[^\x21\x24-\x5b\x5d-\x7e]|\/\./

/** `origin`: `http://host:port`. */
export type RequestHead = { origin: string; bytes: Uint8Array }

/** The text of frozen headers, which many requests share. */
const sharedLines = new WeakMap<object, string>()

/** `path`: below `baseUrl`. `length`: of the body; undefined: it has none. `more`: headers of this request alone. */
export function requestHead(
  baseUrl: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  length: number | undefined,
  method: string = length === undefined ? 'GET' : 'POST',
  more?: Readonly<Record<string, string>>,
): RequestHead {
  const { origin, host, basePath } = baseOf(baseUrl)
  const target = requestTarget(basePath, path)
  const bodyLength = length === undefined ? '' : `content-length: ${length}\r\n`
  const lines = more ? linesOf(headers) + linesOf(more) : linesOf(headers)
  const text = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n${lines}${bodyLength}\r\n`
  return { origin, bytes: Buffer.from(text, 'latin1') }
}

function linesOf(headers: Readonly<Record<string, string>>): string {
  const known = sharedLines.get(headers)
  if (known !== undefined) return known
  let lines = ''
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (UNSAFE.test(value))
      throw new TypeError(`The header ${name} contains a character that is not allowed in headers.`)
    lines += `${name}: ${value}\r\n`
  }
  if (Object.isFrozen(headers)) sharedLines.set(headers, lines)
  return lines
}

type Base = { origin: string; host: string; basePath: string }

/** The base URLs used so far: parsing one costs as much as the rest of the head, and configurations have few. */
const bases = new Map<string, Base>()
const MOST_BASES = 1_000

function baseOf(baseUrl: string): Base {
  const known = bases.get(baseUrl)
  if (known) return known
  const { origin, host, pathname } = new URL(baseUrl)
  const base = { origin, host, basePath: pathname.replace(/\/$/, '') }
  if (bases.size >= MOST_BASES) bases.clear()
  bases.set(baseUrl, base)
  return base
}

/** `URL` is used only where it is needed: it costs more than the rest of the head. */
export function requestTarget(base: string, path: string): string {
  if (!NOT_PLAIN.test(path)) return base + path
  const { pathname, search } = new URL(`http://host${base}${path}`)
  return pathname + search
}
