// Opens the port of a server, and explains why it cannot be opened.
import { isLoopback, matchesCidrs, networkOf, wideNetworkOf } from '@trivium/http/addresses/client-address.ts'
import { ConnectionLimit } from '@trivium/http/server/connection-limit.ts'
import { descriptorLimit, maxClientConnections } from '@trivium/http/system/descriptors.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { CommandError } from '../cli/errors.ts'
import type { Environment } from '../config/types.ts'
import type { App, GatewayDependencies } from '../handler.ts'
import type { Log } from '../observe/log.ts'
import { tellAll } from '../observe/request-observer.ts'
import { createAdmissionGate } from '../overload/load-shedding.ts'
import type { Worker } from '../process/worker.ts'
import { type Listener, listen } from './listen.ts'

export function openListener(
  { host, port }: Environment,
  app: App,
  worker: Worker | undefined,
  deps: GatewayDependencies,
  isDraining: () => boolean,
): Listener {
  const { catalogue, ticker, log, observers } = deps
  const { tls } = catalogue().config.server
  const options = {
    isDraining,
    ticker,
    gate: createAdmissionGate(deps),
    limit: createConnectionLimit(catalogue, ticker.now, log),
    unsentLimit: () => catalogue().config.server.limits.memoryBytes / 2,
    failed: (error: unknown) => log.error('connection failed', { error: String(error) }),
    malformed: tellAll(observers).malformed,
  }
  const shared = worker !== undefined
  try {
    // A shared port (which renewing a certificate needs) could be shared with another program, too: check that it is free.
    const isFirst = shared ? worker.role === 'first' : tls !== undefined
    if (isFirst) void Bun.serve({ hostname: host, port, fetch: () => new Response() }).stop(true)
    return listen(host, port, tls, app, { shared, ...options })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const code = error instanceof Error && 'code' in error ? String(error.code) : codeOf(message)
    throw new CommandError(`cannot listen on ${host}:${port}: ${LISTEN_ERRORS[code] ?? message}`)
  }
}

/** Bun reports an unknown host name without a code. */
const codeOf = (message: string): string => (message.startsWith('Failed to listen') ? 'ENOENT' : '')

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program is using it; set PORT to a free one',
  EADDRNOTAVAIL: 'this machine does not have that address; set HOST to one that it has, or to 0.0.0.0 for all',
  ENOENT: 'the host name is unknown; set HOST to an IP address',
  EACCES: 'permission denied; ports below 1024 may require privileges',
}

/** Connections from trusted proxies and from this machine belong to many clients: they are not shared out by network. */
function createConnectionLimit(catalogue: () => Catalogue, now: () => number, log: Log): ConnectionLimit {
  const descriptors = descriptorLimit()
  const most = () => maxClientConnections(descriptors, catalogue().config.server.limits.connections)
  return new ConnectionLimit({
    get most() {
      return most()
    },
    ownerOf: (address) =>
      isLoopback(address) || matchesCidrs(address, catalogue().trustedProxies)
        ? undefined
        : { network: networkOf(address), wideNetwork: wideNetworkOf(address) },
    now,
    report: (counts) => log.warn('connection limit reached: closing idle connections', { limit: most(), ...counts }),
  })
}
