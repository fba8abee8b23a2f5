// A request at the door: known for what it is at a glance, and read when its turn comes, or never. Those that wait are many,
// and wait for long as a processor sees it: bytes cost less to keep than what is made of them.

import type { PreparedAnswer } from '../prepared-response.ts'
import type { Door, Visitor } from './gate.ts'
import { pathOfWholePost } from './peek-head.ts'

/** The connection over which it came. */
export type Host = {
  /** Reads it, before whatever has come after it. */
  letIn(bytes: Buffer, waitedMs: number): void
  turnAway(answer: PreparedAnswer): void
}

/** undefined: it has to be read now, since it is let in, or not easy to know. */
export function visitOf(bytes: Buffer, door: Door, host: Host): Visit | undefined {
  const path = pathOfWholePost(bytes)
  if (path === undefined) return undefined
  const visit = new Visit(host)
  const met = door.meet(path, bytes.length, visit)
  if (met === undefined) return undefined
  if (met === 'waits') visit.bytes = bytes
  else visit.refusal = met
  return visit
}

export class Visit implements Visitor {
  isGone = false
  onGone: (() => void) | undefined
  /** Of one that waits. Of one that nobody will serve nothing is kept. */
  bytes: Buffer | undefined
  refusal: PreparedAnswer | undefined
  readonly #host: Host

  constructor(host: Host) {
    this.#host = host
  }

  comeIn(waitedMs: number): void {
    if (this.bytes) this.#host.letIn(this.bytes, waitedMs)
  }

  sendHome(answer: PreparedAnswer): void {
    this.#host.turnAway(answer)
  }

  itIsTime(): void {
    if (!this.isGone && this.refusal) this.#host.turnAway(this.refusal)
  }

  /** The client has left. */
  left(): void {
    this.isGone = true
    this.onGone?.()
  }
}
