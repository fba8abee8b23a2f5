/**
 * How a request refers to earlier responses. Items are JSON, as bytes; `stored` are those that the request names by their ids.
 */
export type ConversationState<Request = unknown> = {
  previousResponse: string | undefined
  /** The response is to be stored. */
  store: boolean
  /** The response is to be generated in the background. */
  background: boolean
  /** The ids of items that the request only names. */
  references: readonly string[]
  /** The field `include` that also asks for reasoning in the form in which it can be continued. undefined: it does so already. */
  include: string | undefined
  /** The request's own items, separated by commas. */
  items(stored: ReadonlyMap<string, Uint8Array>): Uint8Array
  /** The body with the items of earlier responses before its own, for an upstream that stores nothing. */
  expanded(history: readonly Uint8Array[], stored: ReadonlyMap<string, Uint8Array>): Uint8Array
  /** The body of the request that generates a background response: streamed, and not in the background any more. */
  foreground(): Uint8Array
  /** The same request without a history, for an upstream that stores nothing: its bytes need not be read again. */
  unstored(request: Request): Request
}
