// How many files and sockets this process may have open, and what share of them clients may take. A process without a free
// descriptor cannot reach its store or an upstream, and Bun, which cannot accept either then, tries for ever.
import { FFIType } from 'bun:ffi'
import { openLibc } from './libc.ts'

const RLIMIT_NOFILE = process.platform === 'darwin' ? 8 : 7
/** Where the system does not tell: what most of them allow at least. */
const USUAL_LIMIT = 1_024
/** For the store, the journal, the log, the control socket and the runtime itself. */
const FIXED_RESERVE = 64
/** A connection that is answered has another one to its upstream; and some of those are kept for the next request. */
const SHARE_OF_CLIENTS = 0.4
const SHARE_OF_IDLE_UPSTREAMS = 0.2
/** More cost too much memory, whatever the system allows. */
const MOST_CLIENTS = 65_536

/** Bun has raised it to the most that the system allows this process. */
export function descriptorLimit(): number {
  const limits = new BigUint64Array(2)
  const libc =
    process.platform === 'win32'
      ? undefined
      : openLibc({ getrlimit: { args: [FFIType.i32, FFIType.ptr], returns: FFIType.i32 } })
  return libc?.getrlimit(RLIMIT_NOFILE, limits) === 0 ? Number(limits[0]) : USUAL_LIMIT
}

export const maxClientConnections = (limit: number): number =>
  Math.min(MOST_CLIENTS, Math.max(1, Math.floor((limit - FIXED_RESERVE) * SHARE_OF_CLIENTS)))

export const maxIdleUpstreamConnections = (limit: number): number =>
  Math.max(1, Math.floor((limit - FIXED_RESERVE) * SHARE_OF_IDLE_UPSTREAMS))
