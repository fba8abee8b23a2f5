// How the calls of each upstream and of each of its keys ended, and how long they took, in memory until it is stored.
import { ERRORS } from '@trivium/protocol/canonical/error.ts'
import { bucketOf, LAST_BUCKET } from '../latency-buckets.ts'
import type { RequestObserver } from '../request-observer.ts'
import type { RequestRecord, UpstreamAttempt } from '../request-record.ts'

/** `good` and `failed`: calls, by the time until their end. `first_token`: good ones, by the time until their first output. */
export const UPSTREAM_MEASURES = ['good', 'failed', 'first_token'] as const
export type UpstreamMeasure = (typeof UPSTREAM_MEASURES)[number]
export type UpstreamCount = { upstream: string; measure: UpstreamMeasure; bucket: number; count: number }

/** `key`: its fingerprint. */
export type KeyCount = { upstream: string; key: string; calls: number; failed: number }
export type Measured = { counts: readonly UpstreamCount[]; keys: readonly KeyCount[] }

export type UpstreamMeasures = RequestObserver & {
  take(): Measured
  /** What was counted since `take`. */
  recent(): Measured
  /** What could not be stored is counted again. */
  putBack(measured: Measured): void
}

const FAILED_OUTCOMES: ReadonlySet<string> = new Set(['failed', 'cut', 'timeout'])
const RATE_LIMITED = 429

/** `fingerprint`: of a key. */
export function measureUpstreams(fingerprint: (key: string) => string): UpstreamMeasures {
  let counted = new Map<string, Histograms>()
  let keys = new Map<string, KeyCount>()
  const fingerprints = new WeakMap<UpstreamAttempt['upstream'], readonly string[]>()

  function add(upstream: string, measure: UpstreamMeasure, bucket: number, count: number): void {
    let own = counted.get(upstream)
    if (!own) {
      own = { good: emptyHistogram(), failed: emptyHistogram(), first_token: emptyHistogram() }
      counted.set(upstream, own)
    }
    own[measure][bucket] = (own[measure][bucket] ?? 0) + count
  }

  /** Fingerprints are made once for each configuration of an upstream. */
  function keyOf({ upstream, key = -1 }: UpstreamAttempt): string | undefined {
    let known = fingerprints.get(upstream)
    if (!known) {
      known = (upstream.keys ?? []).map(fingerprint)
      fingerprints.set(upstream, known)
    }
    return known[key]
  }

  function addKey({ upstream, key, calls, failed }: KeyCount): void {
    const name = `${upstream} ${key}`
    const own = keys.get(name)
    if (!own) {
      keys.set(name, { upstream, key, calls, failed })
      return
    }
    own.calls += calls
    own.failed += failed
  }

  const measured = (): Measured => ({ counts: listed(counted), keys: [...keys.values()] })

  return {
    ended(record) {
      for (const attempt of record.attempts) {
        const measure = measureOf(attempt, record)
        if (measure === undefined) continue
        const { upstream, startedAt, endedAt = startedAt } = attempt
        add(upstream.id, measure, bucketOf(endedAt - startedAt), 1)
        const key = keyOf(attempt)
        if (key !== undefined) addKey({ upstream: upstream.id, key, calls: 1, failed: measure === 'failed' ? 1 : 0 })
        if (measure === 'failed' || record.firstTokenMs === undefined || attempt !== record.attempts.at(-1)) continue
        const firstTokenMs = record.startedAt + record.firstTokenMs - startedAt
        add(upstream.id, 'first_token', bucketOf(firstTokenMs), 1)
      }
    },
    shed() {},
    malformed() {},
    take() {
      const taken = measured()
      counted = new Map()
      keys = new Map()
      return taken
    },
    recent: measured,
    putBack({ counts, keys }) {
      for (const { upstream, measure, bucket, count } of counts) add(upstream, measure, bucket, count)
      for (const count of keys) addKey(count)
    },
  }
}

type Histograms = Record<UpstreamMeasure, Uint32Array>

const listed = (counted: ReadonlyMap<string, Histograms>): UpstreamCount[] =>
  [...counted].flatMap(([upstream, measures]) =>
    UPSTREAM_MEASURES.flatMap((measure) =>
      [...measures[measure]].flatMap((count, bucket) => (count === 0 ? [] : [{ upstream, measure, bucket, count }])),
    ),
  )

const emptyHistogram = (): Uint32Array => new Uint32Array(LAST_BUCKET + 1)

/** undefined: the call says nothing about the upstream, since the client ended it, or it only asked for a task or a count. */
function measureOf(attempt: UpstreamAttempt, { attempts, outcome }: RequestRecord): 'good' | 'failed' | undefined {
  const { operation, status, error } = attempt
  if (operation !== undefined) return undefined
  const isLast = attempt === attempts.at(-1)
  if (isLast && outcome === 'client_disconnected') return undefined
  if (status === RATE_LIMITED || (error !== undefined && !isClientsFault(error))) return 'failed'
  return isLast && error === undefined && FAILED_OUTCOMES.has(outcome ?? '') ? 'failed' : 'good'
}

const isClientsFault = (code: string): boolean =>
  Object.hasOwn(ERRORS, code) && ERRORS[code as keyof typeof ERRORS].fault === 'client'
