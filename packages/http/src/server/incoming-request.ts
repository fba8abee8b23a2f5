import type { HttpRequest } from '../request.ts'
import { Gone, IncomingBody, type Source } from './incoming-body.ts'
import type { RequestHead } from './request-head.ts'

export class IncomingRequest implements HttpRequest {
  readonly method: string
  readonly target: string
  readonly headers: RequestHead
  readonly body: IncomingBody
  readonly waitedMs: number
  isGone = false
  onGone: (() => void) | undefined
  readonly #source: Source & { address(): string }

  constructor(head: RequestHead, source: Source & { address(): string }, waitedMs: number) {
    this.method = head.method
    this.target = head.target
    this.headers = head
    this.body = new IncomingBody(head, source)
    this.waitedMs = waitedMs
    this.#source = source
  }

  address(): string {
    return this.#source.address()
  }

  /** The client has left. */
  left(): void {
    this.isGone = true
    this.body.fail(new Gone('The client closed the connection.'))
    this.onGone?.()
  }
}
