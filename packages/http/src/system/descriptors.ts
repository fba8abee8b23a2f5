// The limit of file descriptors, and the share that client connections may use. A process without a free descriptor cannot
// reach its store or an upstream, and Bun retries to accept in a busy loop.
import { FFIType } from 'bun:ffi'
import { openLibc } from './libc.ts'

const RLIMIT_NOFILE = process.platform === 'darwin' ? 8 : 7
/** Used if the system does not report its limit: the usual minimum. */
const DEFAULT_LIMIT = 1_024
/** Reserved for the store, the journal, the log, the control socket and the runtime. */
const FIXED_RESERVE = 64
/** A request in progress needs a second connection, to its upstream; some of those are kept alive. */
const SHARE_OF_CLIENTS = 0.4
const SHARE_OF_IDLE_UPSTREAMS = 0.2
/** What clients may have where an operator knows that upstream calls share connections. */
const LARGEST_SHARE_OF_CLIENTS = 0.9
/** More would need too much memory. */
export const MAX_CLIENTS = 65_536

/** Bun has already raised the soft limit to the hard limit. */
export function descriptorLimit(): number {
  const limits = new BigUint64Array(2)
  const libc =
    process.platform === 'win32'
      ? undefined
      : openLibc({ getrlimit: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } })
  return libc?.getrlimit(RLIMIT_NOFILE, limits) === 0 ? Number(limits[0]) : DEFAULT_LIMIT
}

/** `wanted`: by the operator. */
export function maxClientConnections(limit: number, wanted?: number): number {
  const share = wanted === undefined ? SHARE_OF_CLIENTS : LARGEST_SHARE_OF_CLIENTS
  return Math.min(wanted ?? MAX_CLIENTS, MAX_CLIENTS, Math.max(1, Math.floor((limit - FIXED_RESERVE) * share)))
}

export const maxIdleUpstreamConnections = (limit: number): number =>
  Math.max(1, Math.floor((limit - FIXED_RESERVE) * SHARE_OF_IDLE_UPSTREAMS))
