// Frees the memory of images that passed through. It lies outside the engine's heap: the engine sees small objects, not the memory
// behind them, and by itself collects it only when it is several times what is in use. Twenty uploads of 50 MB at once used
// 270 MB more than an idle process, and a few of the largest responses 600 MB.

/** A collection stops the event loop for 30 ms and more, so it must be rare; the engine's own is about half as frequent. */
const COLLECT_AFTER_BYTES = 96 * 1024 * 1024
/** The last piece of a response is still being sent when the response has ended. */
const SENT_AFTER_MS = 20

let passed = 0

/** So many bytes were received and are still needed: `freeMemory` follows. */
export function countReceived(bytes: number): void {
  passed += bytes
}

/** So many bytes were received or read, and are no longer needed. */
export function countReleased(bytes: number): void {
  passed += bytes
  if (isDue()) Bun.gc(true)
}

/** A response has ended, and its images are no longer needed. */
export function freeMemory(): void {
  if (isDue()) setTimeout(() => Bun.gc(true), SENT_AFTER_MS)
}

function isDue(): boolean {
  if (passed < COLLECT_AFTER_BYTES) return false
  passed = 0
  return true
}
