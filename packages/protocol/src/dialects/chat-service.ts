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
   * How the reasoning effort is set.
   * `reasoning_effort`: by the protocol's field. `low-high-max`: by that field, which knows these three words and cannot be off.
   * `reasoning`: by the same word inside `reasoning`. `thinking-switch`: `thinking` turns it on and off. `switch-and-effort`: that
   * switch and the three words. `enable_thinking`: by a switch of this name.
   */
  effort:
    | 'reasoning_effort'
    | 'low-high-max'
    | 'reasoning'
    | 'thinking-switch'
    | 'switch-and-effort'
    | 'enable_thinking'
  /** Knows tools that take free text; elsewhere they go out as functions of one text. */
  customTools: boolean
  /** When a stream reports its usage. `always`: without being asked, and the service rejects `stream_options`. */
  streamUsage: 'on-request' | 'always'
  seed: 'seed' | 'random_seed'
  /** The only form of a call's id that it takes; absent: any. `nine-alphanumeric`: nine letters and digits. */
  callIds?: 'nine-alphanumeric'
  /** Fields that the service rejects: dropped, with a warning. */
  rejects?: readonly ('logprobs' | 'logitBias')[]
}
