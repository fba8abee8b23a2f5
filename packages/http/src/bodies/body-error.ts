/** The status of each reason for which a body cannot be read. */
const STATUSES = {
  bad_request: 400,
  request_timeout: 408,
  request_too_large: 413,
  unsupported_media_type: 415,
  client_closed_request: 499,
  service_unavailable: 503,
} as const

/** Why a body could not be read. A value, not an exception: clients cause it at will, and stack traces are expensive. */
export class BodyError {
  readonly reason: keyof typeof STATUSES
  readonly message: string
  /** Seconds after which the same request may succeed. */
  readonly retryAfter: number | undefined

  constructor(reason: keyof typeof STATUSES, message: string, retryAfter?: number) {
    this.reason = reason
    this.message = message
    this.retryAfter = retryAfter
  }

  get status(): number {
    return STATUSES[this.reason]
  }
}

/** Also for bodies that need more memory parsed than sent. */
export const NO_MEMORY = new BodyError(
  'service_unavailable',
  'The gateway has no memory for this body at the moment. Retry in 1 second.',
  1,
)
