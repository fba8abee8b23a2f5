// The sandbox as a standalone HTTP server.
import { chat } from './dialects/chat/index.ts'
import { createSandbox, errorResponse, type SandboxOptions } from './handler.ts'
import { MOST_FORM_BYTES } from './images/generations.ts'

export type SandboxServer = { url: string; port: number; stop(): Promise<void> }

export function startSandboxServer(options: SandboxOptions & { host: string; port: number }): SandboxServer {
  const { host, port, ...sandbox } = options
  const handle = createSandbox(sandbox)
  const server = Bun.serve({
    hostname: host,
    port,
    // Stalled and slow answers are intended: the server must not end them.
    idleTimeout: 0,
    // No error output for intended cuts, or for hanging answers whose clients disconnected.
    development: false,
    error: () => errorResponse(chat, { status: 500, message: '[sandbox] The sandbox failed.' }),
    maxRequestBodySize: MOST_FORM_BYTES,
    fetch: handle,
  })
  return { url: server.url.origin, port: server.port ?? port, stop: () => server.stop(true) }
}
