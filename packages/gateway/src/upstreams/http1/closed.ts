/** The connection was closed before the reply was whole, properly or not, by whomever. */
export class Closed extends Error {
  readonly code = 'ECONNRESET'
}

/** No connection came about in time: not a byte of the request has left. */
export class NotConnected extends Error {
  readonly code = 'ConnectTimeout'
}
