// What transcripts cost, and the most that they can cost: by the minute of audio, or by the token. Pure.
import type { ReportedAudio } from '@trivium/protocol/dialects/shared/transcription/transcription.ts'
import { audioMilliseconds, minutesTotal } from '../../../modalities/media-quantities.ts'
import type { Nanos } from '../../../money/amount.ts'
import type { Charge } from '../../../money/prices/price.ts'
import { NO_OPTIONS, type TokenPrice } from '../../../money/prices/token-price.ts'
import { tokenRate } from '../../../money/prices/token-rate.ts'

/** Nano-USD, per minute of audio or per million tokens. */
export type TranscriptionPrice = { perMinute: Nanos } | { tokens: TokenPrice }

/** `seconds`: of the audio, at most. */
export type RequestedTranscript = { seconds: number; promptBytes: number }

/** `seconds`: of the audio, as far as the gateway knows. `text`: what came of it. */
export type Transcribed = { seconds: number; report: ReportedAudio; textBytes: number }

/** A `Price` that always knows its bound and its cost. */
export type TranscriptionRate = {
  price: TranscriptionPrice
  multiplierMillionths: bigint
  bound(request: RequestedTranscript): Nanos
  cost(transcribed: Transcribed): Charge
}

/** Vendors count 10 to 32 tokens for a second of audio. */
const MOST_TOKENS_PER_SECOND = 32
const FEWEST_TOKENS_PER_SECOND = 10
/** Nobody speaks faster, in the languages that take most tokens for a word; and what a model may reason beside it. */
const MOST_TEXT_TOKENS_PER_SECOND = 16
const MOST_OTHER_TOKENS = 4_096
/** What vendors and the gateway's own instruction add to a prompt. */
const TOKENS_PER_CALL = 512
const BYTES_PER_TOKEN = 4

/** The most tokens that the text of so much audio takes. */
export const mostTextTokens = (seconds: number): number =>
  Math.ceil(seconds * MOST_TEXT_TOKENS_PER_SECOND) + MOST_OTHER_TOKENS

export const transcriptionRate = (price: TranscriptionPrice, multiplierMillionths: bigint): TranscriptionRate =>
  'tokens' in price ? byToken(price, multiplierMillionths) : byMinute(price, multiplierMillionths)

const byMinute = (price: { perMinute: Nanos }, multiplierMillionths: bigint): TranscriptionRate => ({
  price,
  multiplierMillionths,
  bound: ({ seconds }) => minutesTotal(seconds, price.perMinute, multiplierMillionths),
  cost({ seconds: known, report: { seconds = known } }) {
    return {
      cost: minutesTotal(seconds, price.perMinute, multiplierMillionths),
      units: `"audio_seconds":${audioMilliseconds(seconds) / 1_000}`,
      figures: `"per_minute":"${price.perMinute}"`,
    }
  },
})

function byToken(price: { tokens: TokenPrice }, multiplierMillionths: bigint): TranscriptionRate {
  const rate = tokenRate(price.tokens, multiplierMillionths)
  return {
    price,
    multiplierMillionths,
    bound({ seconds, promptBytes }) {
      // No token is shorter than a byte.
      const input = Math.ceil(seconds * MOST_TOKENS_PER_SECOND) + promptBytes + TOKENS_PER_CALL
      return rate.bound({ input, output: mostTextTokens(seconds), options: NO_OPTIONS, hasAudio: true })
    },
    cost(transcribed) {
      const { cost, units, figures } = rate.cost({ usage: usageOf(transcribed), options: NO_OPTIONS })
      return { cost, units, figures }
    },
  }
}

/** Without a report the fewest tokens are charged that so much audio and text can take: the caller did not cause it. */
function usageOf({ seconds: known, report, textBytes }: Transcribed) {
  const { usage, seconds = known } = report
  const audio = Math.ceil(seconds * FEWEST_TOKENS_PER_SECOND)
  const nothing = { cachedInput: undefined, cacheWrite: undefined, reasoning: undefined, absurd: false }
  return {
    ...nothing,
    ...usage,
    input: usage?.input ?? audio,
    audioInput: usage?.input === undefined ? audio : usage.audioInput,
    output: usage?.output ?? Math.ceil(textBytes / BYTES_PER_TOKEN),
  }
}
