// Memory of uploads and stored media that is no longer used. The runtime frees the buffers of sockets and files late: it
// sees small objects, not the memory behind them. Twenty uploads of 50 MB at once used 270 MB more than an idle process.

/** A collection stops everything else for some 20 ms, so it must be rare; the runtime's own is about half as frequent. */
const COLLECT_AFTER_BYTES = 96 * 1024 * 1024

let released = 0

/** So many bytes were received or read, and are not needed any more. */
export function noteReleased(bytes: number): void {
  released += bytes
  if (released < COLLECT_AFTER_BYTES) return
  released = 0
  Bun.gc(true)
}
