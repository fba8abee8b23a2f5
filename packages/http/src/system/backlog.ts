// Bun lets 512 clients wait to be accepted. When thousands come at once, or the process is busy for a moment, the system drops
// the others, who try again after a second or more. The system lets a socket that listens already be told another number.
import { FFIType } from 'bun:ffi'
import { openLibc } from './libc.ts'

/** The system has a limit of its own, and takes the lower: 4,096 on Linux. */
const MOST_WAITING = 4_096

/** Where that is not possible, Bun's number stays. */
export const growBacklog = (listener: object): void => setBacklog(listener, MOST_WAITING)

/** Before a listener closes: whoever is not accepted by then is cut off. Who finds no room asks again in a second. */
export const shrinkBacklog = (listener: object): void => setBacklog(listener, 1)

function setBacklog(listener: object, most: number): void {
  // Bun's types do not know of it.
  const descriptor = 'fd' in listener ? Number(listener.fd) : -1
  if (descriptor < 0 || process.platform === 'win32') return
  openLibc({ listen: { args: [FFIType.i32, FFIType.i32], returns: FFIType.i32 } })?.listen(descriptor, most)
}
