// Recognizes an ordinary request by its bytes, without parsing it. Parsing a head costs more than rejecting the request, and
// under overload most requests are alike: a POST that arrived together with its body.
import { headEnd } from '../../framing/head-end.ts'
import { bounds, type HeadBytes, readBounds } from '../../framing/header-lines.ts'
import { HEAD_END } from './incoming-head.ts'

const POST = 'POST /'
const VERSION = ' HTTP/1.1\r\n'
const SPACE = 0x20
const QUESTION = 0x3f
const COMMA = 0x2c
const DELETE = 0x7f
const ZERO = 0x30
const NINE = 0x39
const MAX_DIGITS = 15

/**
 * The path of a request that arrived complete and alone, is in the most ordinary form, and keeps its connection alive.
 * undefined: the request has to be parsed, and may turn out valid or not.
 */
export function pathOfWholePost(bytes: Buffer): string | undefined {
  if (!isAt(bytes, 0, POST)) return undefined
  let pathEnd = 0
  let at = POST.length
  for (let byte = bytes[at]; byte !== SPACE; byte = bytes[++at]) {
    if (byte === undefined || byte < SPACE || byte >= DELETE) return undefined
    if (byte === QUESTION && pathEnd === 0) pathEnd = at
  }
  if (!isAt(bytes, at, VERSION)) return undefined
  const firstLine = at + VERSION.length - 2
  const end = headEnd(bytes, firstLine)
  if (end === -1) return undefined
  const body = plainLength({ bytes, start: 0, end }, firstLine)
  return body === bytes.length - end - HEAD_END.length
    ? bytes.toString('latin1', POST.length - 1, pathEnd || at)
    : undefined
}

/** The length of the body; -1: absent, or the head has to be parsed. */
function plainLength(head: HeadBytes, firstLine: number): number {
  const { bytes } = head
  const count = readBounds(head, firstLine)
  let [length, hosts] = [-1, 0]
  for (let line = 0; line < count; line += 4) {
    const name = bounds[line] ?? 0
    const value = bounds[line + 2] ?? 0
    const end = bounds[line + 3] ?? 0
    switch ((bounds[line + 1] ?? 0) - name) {
      case 'host'.length:
        if (!isNamed(bytes, name, 'host')) break
        if (++hosts > 1 || hasComma(bytes, value, end)) return -1
        break
      case 'expect'.length:
        if (isNamed(bytes, name, 'expect')) return -1
        break
      case 'connection'.length:
        if (isNamed(bytes, name, 'connection') && !isKeepAlive(bytes, value, end)) return -1
        break
      case 'content-length'.length:
        if (!isNamed(bytes, name, 'content-length')) break
        if (length !== -1) return -1
        length = numberAt(bytes, value, end)
        if (length === -1) return -1
        break
      case 'transfer-encoding'.length:
        if (isNamed(bytes, name, 'transfer-encoding')) return -1
    }
  }
  return hosts === 1 ? length : -1
}

const isAt = (bytes: Buffer, at: number, text: string): boolean => {
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

/** Ignores case. `text` consists of lowercase letters and hyphens. */
const isNamed = (bytes: Buffer, at: number, text: string): boolean => {
  for (let index = 0; index < text.length; index++) {
    if (((bytes[at + index] ?? 0) | 0x20) !== text.charCodeAt(index)) return false
  }
  return true
}

const isKeepAlive = (bytes: Buffer, value: number, end: number): boolean =>
  end - value === 'keep-alive'.length && isNamed(bytes, value, 'keep-alive')

function hasComma(bytes: Buffer, value: number, end: number): boolean {
  for (let at = value; at < end; at++) if (bytes[at] === COMMA) return true
  return false
}

function numberAt(bytes: Buffer, value: number, end: number): number {
  if (value === end || end - value > MAX_DIGITS) return -1
  let number = 0
  for (let at = value; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte < ZERO || byte > NINE) return -1
    number = number * 10 + byte - ZERO
  }
  return number
}
