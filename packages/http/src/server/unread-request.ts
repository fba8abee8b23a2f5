// A request that was recognized by its bytes and is parsed once it is admitted, or never. Under overload many are queued for
// a long time, and raw bytes need less memory than a parsed request.

import type { PreparedResponse } from '../prepared-response.ts'
import type { AdmissionGate, UnreadRequest } from './admission-gate.ts'
import { pathOfWholePost } from './incoming/peek-head.ts'

/** The connection of an unread request. */
export type RequestHost = {
  /** Parses the request, before anything that arrived after it. */
  admit(bytes: Buffer, queuedMs: number): void
  reject(response: PreparedResponse): void
}

/** undefined: the request must be parsed now, because it is admitted or not in the most ordinary form. */
export function submitToGate(bytes: Buffer, gate: AdmissionGate, host: RequestHost): BufferedRequest | undefined {
  const path = pathOfWholePost(bytes)
  if (path === undefined) return undefined
  const request = new BufferedRequest(host)
  const decision = gate.submit(path, bytes.length, request)
  if (decision === undefined) return undefined
  if (decision === 'queued') request.bytes = bytes
  else request.rejection = decision
  return request
}

export class BufferedRequest implements UnreadRequest {
  isDisconnected = false
  onDisconnect: (() => void) | undefined
  /** Raw bytes of a queued request; undefined once the request is certain to be rejected. */
  bytes: Buffer | undefined
  rejection: PreparedResponse | undefined
  readonly #host: RequestHost

  constructor(host: RequestHost) {
    this.#host = host
  }

  admit(queuedMs: number): void {
    if (this.bytes) this.#host.admit(this.bytes, queuedMs)
  }

  reject(response: PreparedResponse): void {
    this.#host.reject(response)
  }

  proceed(): void {
    if (!this.isDisconnected && this.rejection) this.#host.reject(this.rejection)
  }

  disconnected(): void {
    this.isDisconnected = true
    this.onDisconnect?.()
  }
}
