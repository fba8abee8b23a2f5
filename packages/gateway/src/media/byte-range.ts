// The header `Range` (RFC 9110): one range of bytes. Several ranges are answered with the whole content, as the RFC allows.

/** `end` is exclusive. */
export type ByteRange = { start: number; end: number }

const ONE_RANGE = /^bytes=\s*(\d{0,15})\s*-\s*(\d{0,15})\s*$/i

/** undefined: the whole content is to be sent. */
export function parseRange(header: string | null, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [matched, first = '', last = ''] = ONE_RANGE.exec(header ?? '') ?? []
  if (matched === undefined || (first === '' && last === '')) return undefined
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}

/** Whether a list of entity tags, such as of If-None-Match, has this one. Weak and strong tags compare equal there. */
export function hasTag(header: string | null, etag: string): boolean {
  if (header === null) return false
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag)
}
