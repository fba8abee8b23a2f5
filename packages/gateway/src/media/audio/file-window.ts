// Random access to a file of any size with little memory, for a thread that may block while it reads.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const WINDOW_BYTES = 256 * 1024

export class FileWindow {
  readonly size: number
  readonly #file: number
  readonly #bytes = Buffer.allocUnsafe(WINDOW_BYTES)
  #start = 0
  #end = 0

  constructor(path: string) {
    this.#file = openSync(path, 'r')
    this.size = fstatSync(this.#file).size
  }

  /** As many of these bytes as the file has, at most 256 KiB; valid until the next call. */
  read(at: number, length: number): Buffer {
    if (at < this.#start || at + length > this.#end) this.#load(at)
    return this.#bytes.subarray(at - this.#start, Math.min(at + length, this.#end) - this.#start)
  }

  /** Where the bytes come next; -1: nowhere. */
  find(bytes: Buffer, from: number): number {
    for (let at = from; at + bytes.length <= this.size; at = this.#end - bytes.length + 1) {
      if (at < this.#start || at + bytes.length > this.#end) this.#load(at)
      const found = this.#bytes.subarray(at - this.#start, this.#end - this.#start).indexOf(bytes)
      if (found !== -1) return at + found
    }
    return -1
  }

  #load(at: number): void {
    this.#start = at
    this.#end = at + readSync(this.#file, this.#bytes, 0, WINDOW_BYTES, at)
  }

  close(): void {
    closeSync(this.#file)
  }
}
