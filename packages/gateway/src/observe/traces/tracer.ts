// Traces: a span for each request and one for each call of an upstream. Observes requests as the log does.

import type { Log } from '../log.ts'
import type { RequestObserver } from '../request-observer.ts'
import type { RequestRecord } from '../request-record.ts'
import { newSpanId, newTraceId, type Parent, type Span } from './context.ts'
import { createExporter, type Exporter } from './exporter.ts'
import { encodeCalls, encodeRequest } from './otlp.ts'
import type { Sampler, TraceSettings } from './settings.ts'

export type Tracer = RequestObserver & {
  /** The span of a request that has arrived: in the trace of its caller, or in a new one. */
  begin(parent: Parent | undefined): Span
  /** Calls of an upstream after the request that they are made for has ended: those of a task. */
  called(record: RequestRecord): void
  close(): Promise<void>
}

/** `dropped`: so many spans did not reach the collector. */
export function openTracer(settings: TraceSettings, log: Log, dropped: (spans: number) => void): Tracer {
  return createTracer(settings.sampler, createExporter(settings, { log, dropped }))
}

export function createTracer(sampler: Sampler, exporter: Exporter, clock: () => number = Date.now): Tracer {
  return {
    showsClients: true,
    begin(parent) {
      const traceId = parent?.traceId ?? newTraceId()
      return { traceId, spanId: newSpanId(), isSampled: isSampled(traceId, parent, sampler) }
    },
    ended(record) {
      const own = record.trace?.own
      if (own?.isSampled) exporter.add(1 + record.attempts.length, () => encodeRequest(record, own, clock()))
    },
    called(record) {
      const own = record.trace?.own
      const { length } = record.attempts
      if (own?.isSampled && length > 0) exporter.add(length, () => encodeCalls(record, own, clock()))
    },
    shed() {},
    malformed() {},
    close: () => exporter.close(),
  }
}

/** The last 52 bits of a trace id are random, and a number holds them exactly. */
const RANDOM_DIGITS = 13

/** By the trace id, so that all services with the same ratio keep the same traces. */
function isSampled(traceId: string, parent: Parent | undefined, { ratio, parent: follows }: Sampler): boolean {
  if (parent && follows) return parent.isSampled
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) < ratio * 16 ** RANDOM_DIGITS
}
