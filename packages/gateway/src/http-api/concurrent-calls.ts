// Limits concurrent requests to the console API and the admin API, in total and per name (a network, an account): some of them cost CPU, or wait for
// the store. Bodies of the console API have arrived before.
import type { HttpResponse } from '@trivium/http/response.ts'
import { ApiRejection } from './rejection.ts'

/** `mostOfOne`: of one network; `mostOfWide`: of its /24 or /48. */
const ANONYMOUS_LIMITS = { most: 32, mostOfOne: 8, mostOfWide: 16 }

/** One of the slots that all running requests share. */
export type Slot = { release(): void }

/** Runs `work`, or throws if the limit is reached. A streamed response counts until its end. */
export type ConcurrentCalls = (
  name: string,
  work: () => Promise<HttpResponse>,
  wideNetwork?: string,
) => Promise<HttpResponse>

const BUSY = new ApiRejection({
  code: 'service_unavailable',
  retryAfter: 5,
  message: 'Too many requests are in progress. Retry in 5 seconds.',
})

export function createConcurrentCalls(
  admit: (name: string) => Slot | undefined,
  { most, mostOfOne, mostOfWide = most }: { most: number; mostOfOne: number; mostOfWide?: number } = ANONYMOUS_LIMITS,
  busy = BUSY,
): ConcurrentCalls {
  const byName = new Map<string, number>()
  let running = 0

  function add(name: string, change: 1 | -1): void {
    const count = (byName.get(name) ?? 0) + change
    if (count > 0) byName.set(name, count)
    else byName.delete(name)
  }

  return async (name, work, wideNetwork) => {
    if (running >= most || (byName.get(name) ?? 0) >= mostOfOne) throw busy
    if (wideNetwork !== undefined && (byName.get(wideNetwork) ?? 0) >= mostOfWide) throw busy
    const slot = admit(name)
    if (!slot) throw busy
    const change = (by: 1 | -1): void => {
      running += by
      add(name, by)
      if (wideNetwork !== undefined) add(wideNetwork, by)
    }
    change(1)
    return await releasedAtEnd(work(), () => {
      change(-1)
      slot.release()
    })
  }
}

async function releasedAtEnd(work: Promise<HttpResponse>, release: () => void): Promise<HttpResponse> {
  let isStreamed = false
  try {
    const response = await work
    const { body } = response
    if (body instanceof Uint8Array) return response
    isStreamed = true
    return { ...response, body: { ...body, run: (sink) => body.run(sink).finally(release) } }
  } finally {
    if (!isStreamed) release()
  }
}
