// The head of a request, in two parts: what all requests to an upstream have in common, and the first line.

/** With these a value would begin another header, or could not be written in one byte. */
const UNSAFE = /[^\t\x20-\xff]/
/** What may not stand in an address as it is, or would be taken out of it: that is for `URL` to write properly. */
const NOT_PLAIN = /[^\x21\x24-\x5b\x5d-\x7e]|\/\./

export type FixedHead = {
  /** `http://host:port`. */
  origin: string
  /** Where all paths begin. */
  base: string
  lines: string
}

export function writeFixedHead(baseUrl: string, headers: Readonly<Record<string, string>>): FixedHead {
  const { origin, host, pathname } = new URL(baseUrl)
  let lines = `host: ${host}\r\n`
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (UNSAFE.test(value)) throw new TypeError(`The header ${name} has a character that no header may have.`)
    lines += `${name}: ${value}\r\n`
  }
  return { origin, base: pathname.replace(/\/$/, ''), lines }
}

/** `URL` for every request would cost more than the rest of its head. */
export function targetOf(base: string, path: string): string {
  if (!NOT_PLAIN.test(path)) return base + path
  const { pathname, search } = new URL(`http://host${base}${path}`)
  return pathname + search
}
