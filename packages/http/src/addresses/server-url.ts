// The URL of a server on this machine.

export const serverUrl = (host: string, port: number, isTls: boolean): string =>
  `${isTls ? 'https' : 'http'}://${urlHost(host)}:${port}`

/** The host for a URL: a loopback address for wildcards, and IPv6 in brackets. */
function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
