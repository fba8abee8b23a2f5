// A response of the sandbox, as the proxy between it and the gateway has it.
import type { Socket } from 'node:net'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'

/** A response of the sandbox on its way to the gateway. */
export type Answer = {
  dialect: TextDialectId
  streamed: boolean
  /** The response: events of a stream, or one body. */
  pieces: readonly string[]
  /** The number of events up to the first output, and up to the last; finish, usage and the end follow. */
  begun: number
  said: number
  /** Resolves when the client has its first bytes, so that everything sent later is after output. */
  delivered(): Promise<void>
}

/** `origin`: of this proxy. */
export type Wire = Answer & { socket: Socket; origin: string }
