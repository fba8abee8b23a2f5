// Limits concurrent requests to the console API, in total and per name (a network, an account): each holds a body in memory
// while it arrives, and some of them cost CPU.
import type { HttpResponse } from '@trivium/http/response.ts'
import type { ConsoleError } from './responses.ts'

const ANONYMOUS_LIMITS = { most: 32, mostOfOne: 8 }

/** One of the slots that all running requests share. */
export type Slot = { release(): void }

/** Runs `work`, or returns undefined if the limit is reached. A streamed response counts until its end. */
export type ConcurrentCalls = (name: string, work: () => Promise<HttpResponse>) => Promise<HttpResponse> | undefined

export function createConcurrentCalls(
  admit: (name: string) => Slot | undefined,
  { most, mostOfOne } = ANONYMOUS_LIMITS,
): ConcurrentCalls {
  const byName = new Map<string, number>()
  let running = 0

  function add(name: string, change: 1 | -1): void {
    const count = (byName.get(name) ?? 0) + change
    running += change
    if (count > 0) byName.set(name, count)
    else byName.delete(name)
  }

  return (name, work) => {
    if (running >= most || (byName.get(name) ?? 0) >= mostOfOne) return undefined
    const slot = admit(name)
    if (!slot) return undefined
    add(name, 1)
    return releasedAtEnd(work(), () => {
      add(name, -1)
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

export const BUSY: ConsoleError = {
  ...{ code: 'unavailable', retryAfter: 5 },
  message: 'Too many requests are in progress. Retry in 5 seconds.',
}
