// The header lines of one part of a form.
import { MultipartError, malformed } from './multipart-error.ts'
import { parseParameters } from './parameters.ts'

export type PartHead = {
  name: string
  /** As sent, possibly a path: never to be used as one. undefined: the part has none. */
  filename: string | undefined
  /** As sent; undefined: the part has none. */
  contentType: string | undefined
}

export type NameLimits = { nameBytes: number; filenameBytes: number }

/** What these encodings change is nothing; others would need decoding, and clients of forms do not use them (RFC 7578). */
const IDENTITY_ENCODINGS = ['7bit', '8bit', 'binary']

/** `bytes`: without the empty line at their end. Throws MultipartError. */
export function parsePartHead(bytes: Uint8Array, { nameBytes, filenameBytes }: NameLimits): PartHead {
  const headers = parseLines(decode(bytes))
  const disposition = headers.get('content-disposition')
  if (disposition === undefined) throw malformed('A part has no Content-Disposition header.')
  const { value, parameters } = parseParameters(disposition)
  if (value !== 'form-data') throw malformed('A part has a Content-Disposition other than form-data.')
  const written = parameters.get('name')?.[0]
  if (written === undefined) throw malformed('A part has no name.')
  const name = unescaped(written)
  if (Buffer.byteLength(name) > nameBytes) throw tooLong('name', nameBytes)
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase()
  if (encoding !== undefined && !IDENTITY_ENCODINGS.includes(encoding)) {
    throw malformed('A part has a Content-Transfer-Encoding. Send its bytes as they are.', name)
  }
  const filename = filenameOf(parameters)
  if (filename !== undefined && Buffer.byteLength(filename) > filenameBytes)
    throw tooLong('filename', filenameBytes, name)
  return { name, filename, contentType: headers.get('content-type') }
}

/** Parts without a filename are files, too, if their content type says that they are not text. */
export const isFile = ({ filename, contentType = '' }: PartHead): boolean =>
  filename !== undefined || /^\s*(image|video|audio|font)\/|^\s*application\/octet-stream\b/i.test(contentType)

const tooLong = (what: string, bytes: number, part?: string) =>
  new MultipartError('part_header_too_large', `The ${what} of a part exceeds the limit of ${bytes} bytes.`, part)

function parseLines(text: string): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  // A line that begins with a space continues the previous one.
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).toLowerCase()
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw malformed('A part has a malformed header line.')
    // Two values would be read differently by different programs.
    if (headers.has(name)) throw malformed(`A part has more than one ${name} header.`)
    headers.set(name, line.slice(colon + 1).trim())
  }
  return headers
}

/** `filename*` (RFC 5987) has precedence: clients send it if plain characters do not suffice. */
function filenameOf(parameters: ReadonlyMap<string, readonly string[]>): string | undefined {
  const extended = parameters.get('filename*')?.[0]
  const decoded = extended === undefined ? undefined : decodeExtended(extended)
  if (decoded !== undefined) return decoded
  const plain = parameters.get('filename')?.[0]
  return plain === undefined ? extended : unescaped(plain)
}

/** `UTF-8'en'%e2%82%ac.png`; undefined if it is not valid. */
function decodeExtended(text: string): string | undefined {
  const [, charset = '', encoded = ''] = /^([^']*)'[^']*'(.*)$/s.exec(text) ?? []
  try {
    if (charset.toLowerCase() === 'utf-8') return decodeURIComponent(encoded)
    if (charset.toLowerCase() !== 'iso-8859-1') return undefined
    return encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  } catch {
    return undefined
  }
}

/** Browsers and fetch escape these three, and nothing else. */
const ESCAPED: Readonly<Record<string, string>> = { '%22': '"', '%0d': '\r', '%0a': '\n' }
const unescaped = (text: string): string => text.replace(/%(22|0d|0a)/gi, (code) => ESCAPED[code.toLowerCase()] ?? code)

/** UTF-8, as the standard demands; else the one-byte characters of old clients. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
  }
}
