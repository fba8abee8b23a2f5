// The listen backlog. Bun's is 512: when thousands of clients connect at once, or the process is busy for a moment, the system
// drops the others, which retry after a second or more. `listen` may be called again with another number.
import { FFIType } from 'bun:ffi'
import { openLibc } from './libc.ts'

/** The system applies its own limit if it is lower: 4,096 on Linux. */
const MAX_BACKLOG = 4_096

/** Where this is not possible, Bun's backlog stays. */
export const growBacklog = (listener: object): void => setBacklog(listener, MAX_BACKLOG)

/** Before a listener closes: connections in the backlog would be reset, while rejected clients retry after a second. */
export const shrinkBacklog = (listener: object): void => setBacklog(listener, 1)

function setBacklog(listener: object, size: number): void {
  // `fd` exists, but is not declared in the types of Bun.
  const descriptor = 'fd' in listener ? Number(listener.fd) : -1
  if (descriptor < 0 || process.platform === 'win32') return
  openLibc({ listen: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } })?.listen(descriptor, size)
}
