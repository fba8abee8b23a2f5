// An upstream's answer as events: one chunk of a stream after the other, or a whole answer as the only chunk.

import type { ErrorInfo } from '../../../canonical/error.ts'
import type { Emit } from '../../../canonical/event.ts'
import { isObject } from '../../../canonical/reading.ts'
import { decodeError } from '../error.ts'
import type { WireUsage } from '../wire.ts'
import { type CandidateDecoder, openCandidateDecoder } from './decode-candidate.ts'
import { openGroundedCalls } from './grounding.ts'
import { blockedStop } from './stop.ts'
import { decodeUsage, withReport } from './usage.ts'

export type ChunkDecoder = {
  /** Nothing more is read after an error. */
  take(chunk: unknown): void
  /** `isWhole`: the answer cannot have been cut, even if it does not say why it ended. */
  end(isWhole: boolean): void
  fail(error: ErrorInfo): void
}

/** The most answers to one request; a number above it is a fault, and must not become a list of that length. */
const MOST_CANDIDATES = 128

export function openChunkDecoder(emit: Emit): ChunkDecoder {
  const candidates: (CandidateDecoder | undefined)[] = []
  const ids = { answer: undefined as string | undefined, calls: 0, blocks: 0 }
  const grounded = openGroundedCalls()
  let figures: WireUsage = {}
  let isStarted = false
  let isDone = false
  let blocked: { reason: string; message: string | undefined } | undefined

  function fail(error: ErrorInfo): void {
    if (isDone) return
    isDone = true
    const usage = decodeUsage(figures, grounded)
    if (usage !== undefined) emit({ type: 'usage', usage })
    emit({ type: 'error', error })
  }

  function start(chunk: Record<string, unknown>): void {
    isStarted = true
    ids.answer = typeof chunk.responseId === 'string' && chunk.responseId !== '' ? chunk.responseId : undefined
    const input = decodeUsage(figures, undefined)?.input
    const usage = { input, output: undefined, cachedInput: undefined, cacheWrite: undefined, reasoning: undefined }
    emit({ type: 'start', id: ids.answer, usage: input === undefined ? undefined : { ...usage, absurd: false } })
  }

  function readCandidate(value: unknown): void {
    if (!isObject(value)) return
    const { index } = value
    const isIndex = typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < MOST_CANDIDATES
    const choice = isIndex ? index : 0
    let reader = candidates[choice]
    if (reader === undefined) {
      reader = openCandidateDecoder(emit, choice, ids)
      candidates[choice] = reader
    }
    grounded.add(value.groundingMetadata)
    reader.take(value)
  }

  return {
    fail,
    take(chunk) {
      if (isDone) return
      if (!isObject(chunk)) {
        fail({ code: 'upstream_error', message: 'The upstream sent something that is no part of an answer.' })
        return
      }
      const { usageMetadata, promptFeedback } = chunk
      figures = withReport(figures, usageMetadata)
      if (chunk.error !== undefined && chunk.error !== null) {
        fail(decodeError(200, chunk))
        return
      }
      if (typeof chunk.modelVersion === 'string') grounded.model = chunk.modelVersion
      if (!isStarted) start(chunk)
      if (Array.isArray(chunk.candidates)) for (const candidate of chunk.candidates) readCandidate(candidate)
      if (isObject(promptFeedback) && typeof promptFeedback.blockReason === 'string') {
        const { blockReason, blockReasonMessage } = promptFeedback
        blocked = {
          reason: blockReason,
          message: typeof blockReasonMessage === 'string' ? blockReasonMessage : undefined,
        }
      }
    },
    end(isWhole) {
      if (isDone) return
      const known = candidates.filter((candidate) => candidate !== undefined)
      const isFinished = blocked !== undefined || known.some((candidate) => candidate.isFinished())
      if (!isFinished && !(isWhole && known.length > 0)) {
        const message = isStarted ? 'The upstream ended its answer too early.' : 'The upstream answered nothing.'
        fail({ code: 'upstream_error', message })
        return
      }
      isDone = true
      for (const candidate of known) candidate.close()
      const usage = decodeUsage(figures, grounded)
      if (usage !== undefined) emit({ type: 'usage', usage })
      for (const candidate of known) candidate.stop()
      if (blocked !== undefined && !known.some((candidate) => candidate.isFinished())) {
        emit({ type: 'stop', choice: 0, stop: blockedStop(blocked.reason, blocked.message) })
      }
      emit({ type: 'end' })
    },
  }
}
