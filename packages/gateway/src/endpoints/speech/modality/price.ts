// What speech costs, and the most that it can cost: by the character, by the minute of audio, or by the token. Pure.
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import { audioMilliseconds, isCount, MILLION, mediaTotal, minutesTotal } from '../../../modalities/media-quantities.ts'
import type { Nanos } from '../../../money/amount.ts'
import type { Price } from '../../../money/prices/price.ts'

/** Nano-USD. */
export type SpeechPrice =
  | { perMillionCharacters: Nanos }
  | { perMinute: Nanos }
  | { tokens: { input: Nanos; audioOutput: Nanos } }

/** `textBytes`: UTF-8 of all that the model reads. `speed`: absent or above 1, the usual one is assumed. */
export type SpeechText = { characters: number; textBytes: number; speed?: number | undefined }

/** `seconds`: undefined where the audio does not tell them. `usage`: as the upstream reported it. */
export type Spoken = { characters: number; seconds: number | undefined; usage: Usage | undefined }

export type SpeechRate = Price<SpeechText, Spoken> & { price: SpeechPrice }

const MOST_CHARACTERS = 1_000_000
const MOST_SECONDS = 86_400

/** Slow speech of a language whose characters are whole syllables, and pauses around it. */
const SECONDS_PER_CHARACTER = 0.5
const PAUSES = 10
/** Usual speech in English, for audio that does not tell its length. */
const CHARACTERS_PER_SECOND = 15
/** Vendors count 20 to 25. */
const MOST_TOKENS_PER_SECOND = 32
const FEWEST_TOKENS_PER_SECOND = 20
/** What a vendor adds to the text. */
const TOKENS_PER_CALL = 256
const CHARACTERS_PER_TOKEN = 4

export const speechRate = (price: SpeechPrice, multiplierMillionths: bigint): SpeechRate => ({
  price,
  multiplierMillionths,
  bound({ characters, textBytes, speed = 1 }) {
    if (!isCount(characters, MOST_CHARACTERS) || !(speed > 0)) return undefined
    const seconds = (PAUSES + characters * SECONDS_PER_CHARACTER) / Math.min(1, speed)
    if ('perMinute' in price) return minutesTotal(seconds, price.perMinute, multiplierMillionths)
    if ('tokens' in price) {
      // No token is shorter than a byte.
      const most = { input: textBytes + TOKENS_PER_CALL, output: Math.ceil(seconds * MOST_TOKENS_PER_SECOND) }
      return tokensTotal(most, price, multiplierMillionths)
    }
    return mediaTotal(BigInt(characters) * price.perMillionCharacters, MILLION, multiplierMillionths)
  },
  cost(spoken) {
    const { characters } = spoken
    if (!isCount(characters, MOST_CHARACTERS)) return undefined
    if ('perMinute' in price) {
      const seconds = audioMilliseconds(secondsOf(spoken)) / 1_000
      return {
        cost: minutesTotal(seconds, price.perMinute, multiplierMillionths),
        units: `"audio_seconds":${seconds}`,
        figures: `"per_minute":"${price.perMinute}"`,
      }
    }
    if ('tokens' in price) {
      const { input, audioOutput } = price.tokens
      const counts = tokensOf(spoken)
      return {
        cost: tokensTotal(counts, price, multiplierMillionths),
        units: `"input":${counts.input},"audio_output":${counts.output}`,
        figures: `"input":"${input}","audio_output":"${audioOutput}"`,
      }
    }
    return {
      cost: mediaTotal(BigInt(characters) * price.perMillionCharacters, MILLION, multiplierMillionths),
      units: `"characters":${characters}`,
      figures: `"per_million_characters":"${price.perMillionCharacters}"`,
    }
  },
})

type Counts = { input: number; output: number }

const tokensTotal = (
  { input, output }: Counts,
  { tokens }: Extract<SpeechPrice, { tokens: unknown }>,
  multiplier: bigint,
) => mediaTotal(BigInt(input) * tokens.input + BigInt(output) * tokens.audioOutput, MILLION, multiplier)

/** How long so many characters usually take. */
export const usualSeconds = (characters: number): number => characters / CHARACTERS_PER_SECOND

const secondsOf = ({ characters, seconds = usualSeconds(characters) }: Spoken): number =>
  Math.min(seconds, MOST_SECONDS)

/** Without a report: the caller did not cause that it is missing, and speech that was delivered is not free. */
function tokensOf(spoken: Spoken): Counts {
  const { usage, characters } = spoken
  if (usage?.output !== undefined) return { input: usage.input ?? 0, output: usage.output }
  return {
    input: usage?.input ?? Math.ceil(characters / CHARACTERS_PER_TOKEN),
    output: Math.ceil(Number((secondsOf(spoken) * FEWEST_TOKENS_PER_SECOND).toFixed(3))),
  }
}
