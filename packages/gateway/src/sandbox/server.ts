// The sandbox as a plain HTTP server of its own.
import { createSandbox, type SandboxOptions } from './handler.ts'

export type SandboxServer = { url: string; port: number; stop(): Promise<void> }

export function startSandboxServer(options: SandboxOptions & { host: string; port: number }): SandboxServer {
  const { host, port, ...sandbox } = options
  const handle = createSandbox(sandbox)
  const server = Bun.serve({
    hostname: host,
    port,
    // A stalled or slow answer is a feature here: the server must not end it by itself.
    idleTimeout: 0,
    // Neither error pages nor a report on the terminal for each cut that was asked for.
    development: false,
    error: () => new Response(null, { status: 500 }),
    fetch: async (request) => {
      try {
        return await handle(request)
      } catch (thrown) {
        // The client left while a hanging answer was asked for: nobody reads this.
        if (request.signal.aborted) return new Response(null, { status: 499 })
        throw thrown
      }
    },
  })
  return { url: server.url.origin, port: server.port ?? port, stop: () => server.stop(true) }
}
