// Sends spans to a collector in batches, one after the other. The queue is bounded in spans and in bytes: a collector that is
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
  queuedBytes: 8 * 1024 * 1024,
  batchSpans: 512,
  /** Before the one retry, unless the collector says when. */
  retryMs: 1_000,
  longestRetryMs: 5_000,
  closeMs: 3_000,
}
const RESPONSE_BYTES = 64 * 1024
const BATCH_BYTES = 512 * 1024
/** The collector may take the same batch later; all other errors are final. */
const RETRIED: readonly number[] = [429, 502, 503, 504]

type Options = {
  log: Log
  /** So many spans did not reach the collector. */
  dropped(spans: number): void
  limits?: Partial<typeof LIMITS>
}

/** Spans are encoded when they are added: bytes cost the garbage collector nothing while they wait. */
type Batch = { spans: number; bytes: Buffer<ArrayBuffer>; used: number }
type Answer = { rejected: number } | { error: string; retryAfterMs?: number }

export function createExporter(settings: TraceSettings, options: Options): Exporter {
  const { log } = options
  const limits = { ...LIMITS, ...options.limits }
  const [before, after] = frameOf(settings.resource)
  const headers = { ...settings.headers, 'content-type': 'application/json', 'user-agent': `trivium/${VERSION}` }
  const closing = new AbortController()
  const queue: Batch[] = []
  let queuedSpans = 0
  let queuedBytes = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let sending: Promise<void> | undefined
  let isFailing = false
  let lost = 0

  function drop(spans: number): void {
    lost += spans
    options.dropped(spans)
  }

  /** The batch that has room for so many bytes: the last, or a new one. */
  function batchFor(spans: number, most: number): Batch {
    const last = queue.at(-1)
    if (last && last.spans + spans <= limits.batchSpans && last.used + most + after.length <= last.bytes.length)
      return last
    const bytes = Buffer.allocUnsafe(Math.max(BATCH_BYTES, before.length + most + after.length))
    const batch = { spans: 0, bytes, used: bytes.write(before, 0) }
    queuedBytes += batch.used
    queue.push(batch)
    return batch
  }

  function take(): Batch | undefined {
    const batch = queue.shift()
    if (!batch) return undefined
    queuedSpans -= batch.spans
    queuedBytes -= batch.used
    batch.used += batch.bytes.write(after, batch.used)
    return batch
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
    let left = queue.length
    for (let batch = take(); batch; batch = left > 0 || queue.length > 1 ? take() : undefined) {
      left -= 1
      await deliver(batch)
      if (closing.signal.aborted) return
    }
  }

  function later(): void {
    timer ??= setTimeout(flush, settings.delayMs)
    timer.unref()
  }

  async function deliver({ spans, bytes, used }: Batch): Promise<void> {
    const body = bytes.subarray(0, used)
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

  async function post(body: Uint8Array<ArrayBuffer>): Promise<Answer> {
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
      // In UTF-8 a character takes three bytes at most.
      const most = 3 * text.length + 1
      if (queuedBytes + most > limits.queuedBytes) return drop(spans)
      const batch = batchFor(spans, most)
      const start = batch.used
      if (batch.spans > 0) batch.used += batch.bytes.write(',', start)
      batch.used += batch.bytes.write(text, batch.used)
      batch.spans += spans
      queuedSpans += spans
      queuedBytes += batch.used - start
      if (queue.length > 1 || batch.spans >= limits.batchSpans) flush()
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
      queue.length = 0
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
