// Finds the end of the responses on a connection. Full parsing would cost as much as the server that is measured.

const END_OF_HEAD = '\r\n\r\n'
const END_OF_CHUNKS = Buffer.from('0\r\n\r\n')
const NOTHING: Buffer = Buffer.alloc(0)

export class ResponseReader {
  /** The status of the current or last response. */
  status = ''
  /** As far as it has arrived; undefined: completely. */
  #head: string | undefined = ''
  /** Missing bytes of the body; undefined: it is chunked. */
  #left: number | undefined
  #lastPiece = NOTHING
  readonly #onHead: (status: string, head: string) => void

  /** `onHead`: called with the status and the head of each response. */
  constructor(onHead: (status: string, head: string) => void = () => {}) {
    this.#onHead = onHead
  }

  /** Whether the response is complete. The next piece then starts the next one. */
  take(piece: Buffer): boolean {
    let body = piece
    if (this.#head !== undefined) {
      this.#head += piece.toString('latin1')
      const end = this.#head.indexOf(END_OF_HEAD)
      if (end === -1) return false
      body = piece.subarray(piece.length - (this.#head.length - end - END_OF_HEAD.length))
      this.#readHead(this.#head.slice(0, end + 2))
    }
    if (this.#left !== undefined) this.#left -= body.length
    const isWhole = this.#left === undefined ? this.#isLastChunk(body) : this.#left <= 0
    if (isWhole) this.#head = ''
    return isWhole
  }

  #readHead(head: string): void {
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined && !/\r\ntransfer-encoding: *chunked/i.test(head)) {
      throw new Error(`an answer without its length: ${head}`)
    }
    this.status = head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
    this.#left = length === undefined ? undefined : Number(length)
    this.#lastPiece = NOTHING
    this.#head = undefined
    this.#onHead(this.status, head)
  }

  /** The end of the chunks may arrive in two pieces. */
  #isLastChunk(piece: Buffer): boolean {
    const { length } = END_OF_CHUNKS
    const tail = piece.length < length ? Buffer.concat([this.#lastPiece.subarray(-length), piece]) : piece
    this.#lastPiece = tail
    return tail.length >= length && tail.compare(END_OF_CHUNKS, 0, length, tail.length - length) === 0
  }
}
