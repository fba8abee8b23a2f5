// The errors of requests to URLs that come from outside.

/** For logs and decisions. Callers cannot tell `not_public` from `unresolved`: see REASONS. */
export type PublicFetchReason = keyof typeof REASONS

// No message names an address, a port or a host: errors must not describe our network. A private name and an unknown one
// get the same message, or names in our network could be guessed one by one.
const REASONS = {
  bad_url: 'The URL is not a plain http or https URL.',
  not_public: 'The URL does not lead to a public host.',
  unresolved: 'The URL does not lead to a public host.',
  unreachable: 'The host of the URL could not be reached.',
  untrusted: 'The host of the URL has no valid certificate for its name.',
  redirected: 'The URL redirects to another one; send the final URL.',
  encoded: 'The host of the URL sent compressed content, which is not supported.',
  too_large: 'The content of the URL is too large.',
  timed_out: 'The host of the URL took too long.',
  broken: 'The host of the URL did not send a complete HTTP response.',
  aborted: 'The fetch of the URL was cancelled.',
} as const

export class PublicFetchError extends Error {
  readonly reason: PublicFetchReason
  constructor(reason: PublicFetchReason, options?: ErrorOptions) {
    super(REASONS[reason], options)
    this.name = 'PublicFetchError'
    this.reason = reason
  }
}
