// The thread of the tokenizer: counts the tokens of one batch after the other. Loading the vocabulary takes about a second.
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { splitRuns } from './split-runs.ts'

declare const self: Worker

export type ToTokenizer = { texts: readonly string[] }
export type FromTokenizer = { type: 'ready' } | { type: 'counted'; tokens: number; cpuMs: number }

/** Names of special tokens are text like any other in what callers send. */
const AS_TEXT = { disallowedSpecial: new Set<string>() }

/** Entries may be as long as a run. */
setMergeCacheSize(10_000)

self.onmessage = ({ data }: MessageEvent<ToTokenizer>) => {
  const before = process.threadCpuUsage()
  let tokens = 0
  for (const text of data.texts) for (const piece of splitRuns(text)) tokens += countTokens(piece, AS_TEXT)
  // Not the time that passed: an account does not pay for a busy machine.
  const { user, system } = process.threadCpuUsage(before)
  self.postMessage({ type: 'counted', tokens, cpuMs: (user + system) / 1_000 } satisfies FromTokenizer)
}

self.postMessage({ type: 'ready' } satisfies FromTokenizer)
