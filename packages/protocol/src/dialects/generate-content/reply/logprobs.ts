// Log probabilities, both ways: here the chosen tokens and their rivals stand in two lists of the same order.

import type { Logprob } from '../../../canonical/event.ts'
import { isObject } from '../../../canonical/reading.ts'
import { utf8Bytes } from '../../../canonical/utf8.ts'
import type { WireLogprobs } from '../wire.ts'

type Entry = { token: string; logprob: number; bytes?: readonly number[] }

export function decodeLogprobs(result: unknown): Logprob[] {
  if (!isObject(result) || !Array.isArray(result.chosenCandidates)) return []
  const rivals: readonly unknown[] = Array.isArray(result.topCandidates) ? result.topCandidates : []
  return result.chosenCandidates.flatMap((value: unknown, index) => {
    const chosen = entryOf(value)
    if (chosen === undefined) return []
    const row = rivals[index]
    const candidates: readonly unknown[] = isObject(row) && Array.isArray(row.candidates) ? row.candidates : []
    return [{ ...chosen, top: candidates.map(entryOf).filter((entry) => entry !== undefined) }]
  })
}

/** A probability of one is zero here, and zeros are dropped. */
function entryOf(value: unknown): Entry | undefined {
  if (!isObject(value) || typeof value.token !== 'string') return undefined
  const { token, logProbability } = value
  const logprob = typeof logProbability === 'number' ? logProbability : 0
  // A token that is part of a character has no text of its own, and its bytes are not known.
  return PARTIAL.test(token) ? { token, logprob } : { token, logprob, bytes: utf8Bytes(token) }
}

/** Half a pair, or the sign for what could not be read. */
const PARTIAL = /[\ud800-\udfff\ufffd]/u

export function encodeLogprobs(items: readonly Logprob[]): WireLogprobs {
  const wire = ({ token, logprob }: Entry) => ({ token, logProbability: logprob })
  return {
    chosenCandidates: items.map(wire),
    topCandidates: items.map(({ top }) => ({ candidates: top.map(wire) })),
  }
}
