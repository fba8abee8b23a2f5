// The reasoning that was recalled for a request, and how it is put back for one upstream.

import type { CalledMessage } from '@trivium/protocol/canonical/call-reasoning.ts'
import {
  type CalledTool,
  type CallReasoning,
  callKey,
  type ReasoningForm,
  withReasoning,
} from '@trivium/protocol/canonical/call-reasoning.ts'
import type { CanonicalRequest } from '@trivium/protocol/canonical/request.ts'
import type { FoundReasoning } from './kept-reasoning.ts'

export class RecalledReasoning {
  /** The upstream that made the newest of it. */
  readonly home: string | undefined
  readonly #found: FoundReasoning
  /** Bytes that it adds to a request, by upstream. */
  readonly #bytes: ReadonlyMap<string, number>

  /** `calls`: all that lack reasoning. A call that a client sends twice gets its reasoning twice. */
  constructor(calls: readonly CalledTool[], found: FoundReasoning) {
    this.#found = found
    const keys = found.size === 0 ? [] : calls.map(callKey)
    this.home = homeOf(keys, found)
    this.#bytes = bytesOf(keys, found)
  }

  has(upstream: string): boolean {
    return this.#found.has(upstream)
  }

  /** Bytes that it adds to a request for this upstream. */
  bytesFor(upstream: string): number {
    return this.#bytes.get(upstream) ?? 0
  }

  /** Bytes that it adds to a request at most. */
  get mostBytes(): number {
    return Math.max(0, ...this.#bytes.values())
  }

  /** Only another upstream has made reasoning of some call, so it cannot be put back. */
  isLostAt(upstream: string): boolean {
    const own = this.#found.get(upstream)
    for (const [id, others] of this.#found)
      if (id !== upstream) for (const key of others.keys()) if (!own?.has(key)) return true
    return false
  }

  into(request: CanonicalRequest, upstream: string, form: ReasoningForm): CanonicalRequest {
    if (!this.#found.has(upstream)) return request
    return { ...request, turns: withReasoning(request.turns, form, (call) => this.#of(upstream, call)) }
  }

  /** The text of a message's reasoning. */
  textOf({ calls }: CalledMessage, upstream: string): string {
    const parts = calls.flatMap((call) => this.#of(upstream, call)?.before ?? [])
    return parts.map((part) => (part.type === 'reasoning' ? part.text : '')).join('')
  }

  #of(upstream: string, call: CalledTool): CallReasoning | undefined {
    return this.#found.get(upstream)?.get(callKey(call))
  }
}

function homeOf(keys: readonly string[], found: FoundReasoning): string | undefined {
  for (const key of keys.toReversed()) {
    for (const [upstream, reasoning] of found) if (reasoning.has(key)) return upstream
  }
  return undefined
}

function bytesOf(keys: readonly string[], found: FoundReasoning): Map<string, number> {
  const times = new Map<string, number>()
  for (const key of keys) times.set(key, (times.get(key) ?? 0) + 1)
  const bytes = new Map<string, number>()
  for (const [upstream, ofUpstream] of found) {
    let sum = 0
    for (const [key, reasoning] of ofUpstream)
      sum += (times.get(key) ?? 0) * Buffer.byteLength(JSON.stringify(reasoning))
    bytes.set(upstream, sum)
  }
  return bytes
}
