// What services that speak the chat dialect differ in, each difference by a name of its own. Descriptions of upstreams
// are written in these words.

export type ChatService = {
  /** The field that bounds an answer, reasoning included. One that a service does not know leaves the bill without bounds. */
  cap: 'max_tokens' | 'max_completion_tokens'
  /** Where the end user is named; `none`: nowhere. */
  endUser: 'safety_identifier' | 'user' | 'user_id' | 'none'
  instructions: 'system' | 'developer'
  /**
   * Reasoning of earlier turns as `reasoning_content`. `demanded`: calls without it are rejected, so even unknown ones
   * are sent, as empty text. `rejected`: the service rejects the field.
   */
  reasoning: 'taken' | 'demanded' | 'rejected'
  /**
   * How hard to think: by the protocol's word, by three words of which none is off, by the same word inside `reasoning`,
   * by the switch `thinking`, by that switch and three words, or by the switch `enable_thinking`.
   */
  effort: 'word' | 'three words' | 'reasoning' | 'switch' | 'switch and word' | 'enable_thinking'
  /** Knows tools that take free text; elsewhere they go out as functions of one text. */
  customTools: boolean
  /** The usage of a stream. `unasked`: it is always sent, and the service rejects `stream_options`. */
  streamUsage: 'asked for' | 'unasked'
  seed: 'seed' | 'random_seed'
  /** The only form of a call's id that it takes; undefined: the usual. */
  callIds?: 'nine letters and digits'
  /** Fields that the service rejects: dropped, with a warning. */
  rejects?: readonly ('logprobs' | 'logitBias')[]
}
