/**
 * What byte-level code needs from its host. The package itself has no text decoder and none of the runtime's native
 * comparisons and copies, so the gateway passes them in.
 */
export type Codec = {
  /** UTF-8 to text; invalid bytes become U+FFFD, and a byte order mark is kept as a character. */
  decode(bytes: Uint8Array, start: number, end: number): string
  /** The value of a JSON text. Throws SyntaxError. */
  parse(bytes: Uint8Array): unknown
  /** Whether all of it is valid UTF-8. */
  isUtf8(bytes: Uint8Array): boolean
  /** Text to UTF-8, in an array of its own. */
  encode(text: string): Uint8Array
  /** A new array that the caller fills from end to end: what is in it before is anything. */
  allocate(length: number): Uint8Array
  /** Whether `bytes` has all of `part` at this place. */
  hasAt(bytes: Uint8Array, part: Uint8Array, at: number): boolean
  /** Copies `start` to `end` of `bytes` into `target` at `at`. */
  copy(bytes: Uint8Array, start: number, end: number, target: Uint8Array, at: number): void
}
