// The servers of a measurement as its scenarios see them.

export type Server = {
  name: string
  pid: number
  port: number
  /** Where to send a chat request that the upstream shall answer as `upstreamPath` says. */
  pathOf(upstreamPath: string): string
  /** SIGTERM. Resolves with the exit code. */
  terminate(): Promise<number>
  stop(): Promise<void>
}

/** How an upstream is called: without TLS, or over TLS with this version of HTTP. */
export type UpstreamProtocol = 'http' | 'https/1.1' | 'https/2'

export type UpstreamServer = Server & { url: string; protocol: UpstreamProtocol }
