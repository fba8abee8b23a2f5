// Clients decide what to do about some errors by words of the vendor's message: compact the conversation, ask for
// another key, top up. Those words stand in our messages, too.
import type { ErrorCode, ErrorInfo } from '../../../canonical/error.ts'

/** `said`: any of these, in lowercase, is enough. `say`: what is put before a message that has none of them. */
type Words = { said: readonly string[]; say: string }
export type KnownPhrases = Readonly<Partial<Record<ErrorCode, Words>>>

/** A missing key is no wrong key: none of the vendors' words are put before this one. */
export const NO_KEY = 'no api key was sent'

export function messageWith(known: KnownPhrases, { code, message }: ErrorInfo): string {
  const words = known[code]
  if (words === undefined) return message
  const text = message.toLowerCase()
  return words.said.some((phrase) => text.includes(phrase)) ? message : `${words.say} ${message}`
}
