/** The connection was closed, by either side, before the response was complete. */
export class ConnectionClosed extends Error {
  readonly code = 'ECONNRESET'
}

/** A host that is switched off or behind a firewall does not even reject connections. */
export const CONNECT_TIMEOUT_MS = 5_000

/** Nothing of the request was sent. */
export class ConnectTimeout extends Error {
  readonly code = 'ConnectTimeout'
}
