/** The connection was closed before the reply was whole, properly or not, by whomever. */
export class ConnectionClosed extends Error {
  readonly code = 'ECONNRESET'
}

/**
 * So long may connecting take. A machine that is switched off, or behind a wall, does not even refuse; somebody else can be asked,
 * since nothing has left yet.
 */
export const CONNECT_TIMEOUT_MS = 5_000

/** No connection came about in time: not a byte of the request has left. */
export class ConnectTimeout extends Error {
  readonly code = 'ConnectTimeout'
}
