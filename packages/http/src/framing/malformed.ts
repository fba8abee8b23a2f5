/** Not HTTP, or not in a form with only one reading. */
export class Malformed extends Error {
  readonly code = 'MalformedReply'
}
