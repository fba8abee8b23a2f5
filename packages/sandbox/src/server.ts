// The sandbox as a plain HTTP server of its own.
import { chat } from './dialects/chat/index.ts'
import { createSandbox, errorResponse, type SandboxOptions } from './handler.ts'

export type SandboxServer = { url: string; port: number; stop(): Promise<void> }

export function startSandboxServer(options: SandboxOptions & { host: string; port: number }): SandboxServer {
  const { host, port, ...sandbox } = options
  const handle = createSandbox(sandbox)
  const server = Bun.serve({
    hostname: host,
    port,
    // A stalled or slow answer is a feature here: the server must not end it by itself.
    idleTimeout: 0,
    // No report on the terminal for a cut that was asked for, or for a hanging answer whose client left.
    development: false,
    error: () => errorResponse(chat, { status: 500, message: '[sandbox] The sandbox failed.' }),
    fetch: handle,
  })
  return { url: server.url.origin, port: server.port ?? port, stop: () => server.stop(true) }
}
