// What authorises the requests to an upstream: what is about to be sent in, headers out. Nothing else in the gateway knows clouds.

import type { Pieces } from '@trivium/protocol/framing/splice.ts'

/** All that a signature can depend on, as it goes over the wire. Headers have lower-case names. */
export type AboutToBeSent = {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  /** Pieces, or what can be read as often as needed. */
  body: Pieces | { open(): ReadableStream<Uint8Array> }
}

export type CloudCredential = {
  /** Headers to add. Throws CredentialUnavailable if there is no valid credential within the time that a request waits. */
  headersFor(request: AboutToBeSent): Promise<Record<string, string>>
  /**
   * The upstream rejected these headers of `headersFor` as invalid or expired: true if there is a newer credential now, with which
   * the request may be sent again.
   */
  renew(rejected: Readonly<Record<string, string>>): Promise<boolean>
  /** Renews it if it is time, without a request. */
  check(): Promise<void>
  /** The `Date` of a response. */
  noteDate(date: string | null): void
  state(): CredentialState
}

export type CredentialState = {
  /** For logs and `doctor`, without secrets. */
  source: string
  /** Milliseconds since 1970. undefined: it does not expire, or there is none yet. */
  expiresAt: number | undefined
  /** Why there is no valid one. */
  problem: string | undefined
  /** What this machine's clock is ahead of the upstream's, in milliseconds, where that is too much. */
  skewMs: number | undefined
}

/** Where a credential comes from, and how it is read again before it expires. */
export type Source<T> = {
  /** For logs and `doctor`, without secrets, such as `environment` or `instance metadata`. */
  readonly name: string
  /** Throws SourceFailed, whose message has no secret. */
  read(signal: AbortSignal): Promise<Expiring<T>>
}

export type Expiring<T> = {
  value: T
  /** Milliseconds since 1970; undefined: it does not expire. */
  expiresAt: number | undefined
}

/** What signs requests to AWS. */
export type AwsKeys = { accessKey: string; secretKey: string; sessionToken: string | undefined }

/** What Google and Microsoft take as `Authorization: Bearer`. */
export type AccessToken = string

/** A source had nothing to give, for the reason in the message: which source, and what to change. */
export class SourceFailed extends Error {
  override readonly name = 'SourceFailed'
}

/** No valid credential: the next candidate is tried, nothing was sent. */
export class CredentialUnavailable extends Error {
  override readonly name = 'CredentialUnavailable'
}
