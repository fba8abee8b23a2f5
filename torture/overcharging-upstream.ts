// An upstream that reports ten times the usage that the hold covers.
import { type ReplayUpstream, recordAll, startReplayUpstream } from './replay-upstream.ts'

export const PROMPT = 'say 20 words'
/** Output tokens that callers ask for, and that are held, and those that are reported: ten times as much, input and all. */
export const REQUESTED_TOKENS = 1_000
const REPORTED_TOKENS = 12_500

export const startOverchargingUpstream = async (): Promise<ReplayUpstream> =>
  await startReplayUpstream(await recordAll(PROMPT, tenfold), 0)

/** Replaces the reported output tokens. */
const tenfold = (piece: string): string =>
  piece.replace(/"(completion_tokens|output_tokens|candidatesTokenCount)":\s*\d+/g, `"$1":${REPORTED_TOKENS}`)
