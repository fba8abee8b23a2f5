/** The connection was closed, by either side, before the response was complete. */
export class ConnectionClosed extends Error {
  readonly code = 'ECONNRESET'
}

/** A host that is switched off or behind a firewall does not even reject connections. */
export const CONNECT_TIMEOUT_MS = 5_000

/** The name of the host leads to a metadata service. Nothing of the request was sent. */
export class MetadataHost extends Error {
  readonly code = 'MetadataHost'
}

/** Nothing of the request was sent. */
export class ConnectTimeout extends Error {
  readonly code = 'ConnectTimeout'
}
