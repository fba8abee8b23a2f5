// Finds the parts of a multipart body in a stream of pieces. Holds back only what may belong to a delimiter.
import { DelimiterSearch, delimiterAt } from './delimiter-search.ts'
import { MultipartError, malformed } from './multipart-error.ts'

/** A body, piece by piece; undefined at its end. */
export type ByteSource = { read(): Uint8Array | undefined | Promise<Uint8Array | undefined> }

export type OnData = (bytes: Uint8Array) => undefined | Promise<unknown>

const CR = 13
const HEAD_END = Buffer.from('\r\n\r\n')

export class PartSplitter {
  readonly #source: ByteSource
  readonly #delimiter: Buffer
  readonly #search: DelimiterSearch
  readonly #maxBytes: number
  /** Received and not yet consumed. It begins with a line end that was not sent: the first delimiter may lack its own. */
  #buffer: Buffer = Buffer.from('\r\n')
  #received = 0
  #isOver = false

  constructor(source: ByteSource, boundary: string, maxBytes: number) {
    this.#source = source
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
    this.#search = new DelimiterSearch(this.#delimiter)
    this.#maxBytes = maxBytes
  }

  /** Gives everything before the next delimiter to `onData` and consumes the delimiter: another part follows, or the end. */
  async readUntilDelimiter(onData: OnData): Promise<'part' | 'end'> {
    const delimiter = this.#delimiter
    for (;;) {
      const [at, found] = this.#search.find(this.#buffer)
      if (typeof found === 'object') {
        await this.#emit(at, onData)
        this.#consume(found.end - at)
        return found.kind
      }
      await this.#emit(at === -1 ? this.#buffer.length - heldBack(this.#buffer, delimiter) : at, onData)
      const piece = await this.#read()
      if (piece) {
        // Most of what is held back turns out to be data with the next byte, and pieces are not copied for it.
        const isData = at === -1 && piece.length > 0 && piece[0] !== delimiter[this.#buffer.length]
        if (isData) await this.#emit(this.#buffer.length, onData)
        this.#append(piece)
        continue
      }
      const last = at === -1 ? 'data' : delimiterAt(this.#buffer, delimiter.length, true)
      if (typeof last !== 'object') throw malformed('The body ends before its closing boundary.')
      this.#consume(last.end)
      return last.kind
    }
  }

  /** The header lines of a part, without the empty line at their end. */
  async readHead(maxBytes: number): Promise<Uint8Array> {
    let searched = 0
    for (;;) {
      const end = this.#buffer.indexOf(HEAD_END, Math.max(0, searched - HEAD_END.length))
      searched = this.#buffer.length
      if (end > maxBytes || (end === -1 && searched > maxBytes + HEAD_END.length)) {
        throw new MultipartError(
          'part_header_too_large',
          `The headers of a part exceed the limit of ${maxBytes} bytes.`,
        )
      }
      if (end !== -1) {
        const head = this.#buffer.subarray(0, end)
        this.#consume(end + HEAD_END.length)
        return head
      }
      const piece = await this.#read()
      if (!piece) throw malformed('The body ends within the headers of a part.')
      this.#append(piece)
    }
  }

  /** Discards what follows the closing boundary: a request is complete only with its whole body. */
  async readEpilogue(): Promise<void> {
    this.#consume(this.#buffer.length)
    while (await this.#read());
  }

  async #emit(length: number, onData: OnData): Promise<void> {
    if (length <= 0) return
    const bytes = this.#buffer.subarray(0, length)
    this.#consume(length)
    const writing = onData(bytes)
    if (writing) await writing
  }

  #consume(length: number): void {
    this.#buffer = this.#buffer.subarray(length)
  }

  #append(piece: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? piece : Buffer.concat([this.#buffer, piece])
  }

  /** undefined at the end of the body. Bytes up to the limit are parsed first, so that errors do not depend on the pieces. */
  async #read(): Promise<Buffer | undefined> {
    const piece = this.#isOver ? undefined : await this.#source.read()
    if (this.#isOver || (piece && piece.length > 0 && this.#received === this.#maxBytes)) {
      throw new MultipartError('body_too_large', `The request body exceeds the limit of ${this.#maxBytes} bytes.`)
    }
    if (piece === undefined) return undefined
    const taken = piece.subarray(0, this.#maxBytes - this.#received)
    this.#isOver = taken.length < piece.length
    this.#received += taken.length
    return asBuffer(taken)
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** How many bytes at the end of the buffer may be the beginning of a delimiter. A delimiter has one CR, which is its first byte. */
function heldBack(buffer: Buffer, delimiter: Buffer): number {
  const last = buffer.subarray(Math.max(0, buffer.length - delimiter.length + 1))
  const at = last.lastIndexOf(CR)
  if (at === -1) return 0
  const beginning = last.subarray(at)
  return beginning.equals(delimiter.subarray(0, beginning.length)) ? beginning.length : 0
}
