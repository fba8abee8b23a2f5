import type { HttpRequest } from '../request.ts'
import type { Answer } from '../response.ts'
import type { Door } from './gate.ts'

export type Handler = (request: HttpRequest) => Answer | Promise<Answer>

/** What a connection asks of the server that it belongs to. */
export type Owner<Connection> = {
  handle: Handler
  door: Door
  /** Milliseconds, to within a tick. */
  now(): number
  /** The line that tells the time. */
  date(): string
  /** Connections are closed after their next answer. */
  isLeaving(): boolean
  /** They are closed also without one. */
  isStopping(): boolean
  closed(connection: Connection): void
  /** Something has happened that should not be possible. */
  failed(error: unknown): void
  /** A request was rejected as no HTTP, or never came to be one. */
  malformed(): void
}
