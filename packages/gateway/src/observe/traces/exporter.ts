// Sends spans to a collector in batches, one after the other. The queue is bounded in spans and in characters: a collector that is
// slow or down costs spans, which are counted, and never a request.

import { readAtMost } from '@trivium/http/client/read-response.ts'
import { responseOf } from '@trivium/http/client/upstream-response.ts'
import type { Log } from '../log.ts'
import { VERSION } from '../version.ts'
import { frameOf } from './otlp.ts'
import type { TraceSettings } from './settings.ts'

export type Exporter = {
  /** `encode` is called only if there is room in the queue. */
  add(spans: number, encode: () => string): void
  /** Sends what is queued, within a few seconds; the rest is dropped. */
  close(): Promise<void>
}

const LIMITS = {
  queuedSpans: 8_192,
  queuedCharacters: 8 * 1024 * 1024,
  batchSpans: 512,
  /** Before the one retry, unless the collector says when. */
  retryMs: 1_000,
  longestRetryMs: 5_000,
  closeMs: 3_000,
}
const RESPONSE_BYTES = 64 * 1024
/** The collector may take the same batch later; all other errors are final. */
const RETRIED: readonly number[] = [429, 502, 503, 504]

type Options = {
  log: Log
  /** So many spans did not reach the collector. */
  dropped(spans: number): void
  limits?: Partial<typeof LIMITS>
}

type Queued = { spans: number; text: string }
type Answer = { rejected: number } | { error: string; retryAfterMs?: number }

export function createExporter(settings: TraceSettings, options: Options): Exporter {
  const { log } = options
  const limits = { ...LIMITS, ...options.limits }
  const [before, after] = frameOf(settings.resource)
  const headers = { ...settings.headers, 'content-type': 'application/json', 'user-agent': `trivium/${VERSION}` }
  const closing = new AbortController()
  let queue: Queued[] = []
  let queuedSpans = 0
  let queuedCharacters = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let sending: Promise<void> | undefined
  let isFailing = false
  let lost = 0

  function drop(spans: number): void {
    lost += spans
    options.dropped(spans)
  }

  function take(): Queued {
    let end = 0
    let spans = 0
    while (end < queue.length && spans < limits.batchSpans) spans += queue[end++]?.spans ?? 0
    const batch = queue.slice(0, end).map(({ text }) => text)
    queue = queue.slice(end)
    const text = batch.join(',')
    queuedSpans -= spans
    queuedCharacters -= text.length - (batch.length - 1)
    return { spans, text }
  }

  /** Sends all that is queued now, and full batches that are queued meanwhile. */
  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    sending ??= sendAll().finally(() => {
      sending = undefined
      if (queue.length > 0) later()
    })
  }

  async function sendAll(): Promise<void> {
    let left = queuedSpans
    do {
      const batch = take()
      left -= batch.spans
      await deliver(batch)
    } while (queue.length > 0 && (left > 0 || queuedSpans >= limits.batchSpans) && !closing.signal.aborted)
  }

  function later(): void {
    timer ??= setTimeout(flush, settings.delayMs)
    timer.unref()
  }

  async function deliver({ spans, text }: Queued): Promise<void> {
    const body = before + text + after
    let answer = await post(body)
    if ('error' in answer && answer.retryAfterMs !== undefined && !closing.signal.aborted) {
      await pause(answer.retryAfterMs, closing.signal)
      answer = await post(body)
    }
    if ('error' in answer) {
      drop(spans)
      if (!isFailing) log.warn('traces not exported: the collector does not take them', { error: answer.error })
      isFailing = true
      return
    }
    if (answer.rejected > 0) drop(Math.min(spans, answer.rejected))
    if (isFailing) log.info('traces are exported again', { dropped_spans: lost })
    isFailing = false
    lost = 0
  }

  async function post(body: string): Promise<Answer> {
    const signal = AbortSignal.any([AbortSignal.timeout(settings.timeoutMs), closing.signal])
    try {
      const response = await fetch(settings.endpoint, { method: 'POST', headers, body, signal, redirect: 'manual' })
      const { status } = response
      const answer = await readAtMost(responseOf(response), RESPONSE_BYTES)
      if (status >= 200 && status < 300) return { rejected: rejectedIn(answer) }
      const wait = Number(response.headers.get('retry-after') ?? Number.NaN) * 1_000
      const retryAfterMs = Math.min(wait > 0 ? wait : limits.retryMs, limits.longestRetryMs)
      return { error: `status ${status}`, ...(RETRIED.includes(status) ? { retryAfterMs } : {}) }
    } catch (error) {
      return { error: error instanceof Error ? error.message : String(error), retryAfterMs: limits.retryMs }
    }
  }

  return {
    add(spans, encode) {
      if (closing.signal.aborted || queuedSpans + spans > limits.queuedSpans) return drop(spans)
      const text = encode()
      if (queuedCharacters + text.length > limits.queuedCharacters) return drop(spans)
      queue.push({ spans, text })
      queuedSpans += spans
      queuedCharacters += text.length
      if (queuedSpans >= limits.batchSpans) flush()
      else if (!sending) later()
    },
    async close() {
      const end = setTimeout(() => closing.abort(), limits.closeMs)
      while ((sending || queue.length > 0) && !closing.signal.aborted) {
        flush()
        await sending
      }
      clearTimeout(end)
      clearTimeout(timer)
      closing.abort()
      await sending
      if (queuedSpans > 0) drop(queuedSpans)
      queue = []
      queuedSpans = 0
      if (lost > 0) log.warn('traces lost: the collector did not take them in time', { dropped_spans: lost })
    },
  }
}

/** A collector may take a batch in part. */
function rejectedIn(answer: Uint8Array | undefined): number {
  try {
    const { partialSuccess } = JSON.parse(Buffer.from(answer ?? []).toString()) as {
      partialSuccess?: { rejectedSpans?: unknown }
    }
    return Number(partialSuccess?.rejectedSpans) || 0
  } catch {
    return 0
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    signal.addEventListener('abort', over)
  })
}
