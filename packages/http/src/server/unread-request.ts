// A request at the door: known for what it is at a glance, and read when its turn comes, or never. Those that wait are many,
// and wait for long as a processor sees it: bytes cost less to keep than what is made of them.

import type { PreparedResponse } from '../prepared-response.ts'
import type { AdmissionGate, UnreadRequest } from './admission-gate.ts'
import { pathOfWholePost } from './incoming/peek-head.ts'

/** The connection over which it came. */
export type RequestHost = {
  /** Reads it, before whatever has come after it. */
  admit(bytes: Buffer, queuedMs: number): void
  reject(answer: PreparedResponse): void
}

/** undefined: it has to be read now, since it is let in, or not easy to know. */
export function submitToGate(bytes: Buffer, door: AdmissionGate, host: RequestHost): BufferedRequest | undefined {
  const path = pathOfWholePost(bytes)
  if (path === undefined) return undefined
  const visit = new BufferedRequest(host)
  const met = door.submit(path, bytes.length, visit)
  if (met === undefined) return undefined
  if (met === 'waits') visit.bytes = bytes
  else visit.rejection = met
  return visit
}

export class BufferedRequest implements UnreadRequest {
  isDisconnected = false
  onDisconnect: (() => void) | undefined
  /** Of one that waits. Of one that nobody will serve nothing is kept. */
  bytes: Buffer | undefined
  rejection: PreparedResponse | undefined
  readonly #host: RequestHost

  constructor(host: RequestHost) {
    this.#host = host
  }

  admit(queuedMs: number): void {
    if (this.bytes) this.#host.admit(this.bytes, queuedMs)
  }

  reject(answer: PreparedResponse): void {
    this.#host.reject(answer)
  }

  proceed(): void {
    if (!this.isDisconnected && this.rejection) this.#host.reject(this.rejection)
  }

  /** The client has left. */
  disconnected(): void {
    this.isDisconnected = true
    this.onDisconnect?.()
  }
}
