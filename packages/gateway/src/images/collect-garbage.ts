// Frees the memory of images that have been sent. It lies outside the engine's heap, and the engine by itself collects it only
// when it is several times what is in use: 600 MiB after a few of the largest responses.

/** As much as the largest response: collecting stops the event loop for some 30 ms, so it must be rare. */
const COLLECT_AFTER_BYTES = 128 * 1024 * 1024
/** The last piece of a response is still being sent when the response has ended. */
const COLLECT_AFTER_MS = 20

let received = 0

export function countReceived({ length }: Uint8Array): void {
  received += length
}

/** To be called when images are no longer needed. */
export function collectGarbage(): void {
  if (received < COLLECT_AFTER_BYTES) return
  received = 0
  setTimeout(() => Bun.gc(true), COLLECT_AFTER_MS)
}
