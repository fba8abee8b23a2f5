/** The bytes are not HTTP, or can be parsed in more than one way. */
export class Malformed extends Error {
  readonly code = 'MalformedReply'
}
