import type { HttpRequest } from '../../request.ts'
import { type BodySource, ClientDisconnected, IncomingBody } from './incoming-body.ts'
import type { RequestHead } from './request-head.ts'

export class IncomingRequest implements HttpRequest {
  readonly method: string
  readonly target: string
  readonly headers: RequestHead
  readonly body: IncomingBody
  readonly queuedMs: number
  isDisconnected = false
  onDisconnect: (() => void) | undefined
  readonly #source: BodySource & { address(): string }

  constructor(head: RequestHead, source: BodySource & { address(): string }, queuedMs: number) {
    this.method = head.method
    this.target = head.target
    this.headers = head
    this.body = new IncomingBody(head, source)
    this.queuedMs = queuedMs
    this.#source = source
  }

  address(): string {
    return this.#source.address()
  }

  disconnected(): void {
    this.isDisconnected = true
    this.body.fail(new ClientDisconnected('The client disconnected.'))
    this.onDisconnect?.()
  }
}
