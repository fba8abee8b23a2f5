/** The connection was closed before the reply was whole, properly or not, by whomever. */
export class Closed extends Error {
  readonly code = 'ECONNRESET'
}
