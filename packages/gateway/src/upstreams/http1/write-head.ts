// The head of a request.

/** What may stand in an address as it is. Everything else is for `URL` to write properly. */
const PLAIN_TARGET = /^[\x21\x23-\x5b\x5d-\x7e]+$/
/** With these a value would begin another header, or could not be written in one byte. */
const UNSAFE = /[^\t\x20-\x7e\x80-\xff]/

export type WrittenHead = { origin: string; head: string }

/** `length` of the body; undefined: there is none. */
export function writeHead(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  length: number | undefined,
): WrittenHead {
  const { origin, host, target } = split(url)
  let head = `${method} ${target} HTTP/1.1\r\nhost: ${host}\r\n`
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (UNSAFE.test(value)) throw new TypeError(`The header ${name} has a character that no header may have.`)
    head += `${name}: ${value}\r\n`
  }
  head += length === undefined ? '\r\n' : `content-length: ${length}\r\n\r\n`
  return { origin, head }
}

/** `URL` for every request would cost more than the rest of its head. */
function split(url: string): { origin: string; host: string; target: string } {
  const slash = url.indexOf('/', 'http://'.length)
  const target = url.slice(slash)
  if (slash !== -1 && PLAIN_TARGET.test(target) && !target.includes('#') && !target.includes('/.')) {
    const origin = url.slice(0, slash)
    return { origin, host: origin.slice('http://'.length), target }
  }
  const { origin, host, pathname, search } = new URL(url)
  return { origin, host, target: pathname + search }
}
