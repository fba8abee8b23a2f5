// What the journey needs of a text dialect when client and upstream speak the same one and bytes pass through.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import type { Finish } from '@trivium/protocol/canonical/finish.ts'
import type { Usage } from '@trivium/protocol/canonical/usage.ts'
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Units } from '../money/price.ts'
import type { Sizing } from './reserve.ts'

export type TextRequest = Sizing & {
  model: string
  /** What the caller calls its output cap, or what it is called when there is none. */
  capField: string
  /** The body for the upstream, with only what must change changed. */
  edited(edits: { model: string | undefined; maxOutput: number | undefined }): Uint8Array
  /** Set when the client asked for the usage chunk itself. */
  showUsage: boolean
}

export type TextReply =
  | { ok: true; usage: Usage | undefined; finish: Finish | undefined; outputBytes: number; body: Uint8Array }
  | { ok: false; error: ErrorInfo }

/** Meters a stream of bytes on its way to the client, see the dialect's stream.ts. */
export type Meter = {
  push(chunk: Uint8Array): Uint8Array
  /** What was held back until the settlement stands: the last frames. */
  end(): Uint8Array
  /** The frames that end the answer here, as if it had reached its output cap; `units` is what it is charged. */
  stop(units: Units): Uint8Array
  readonly state: {
    readonly outputBytes: number
    readonly sawOutput: boolean
    readonly finish: Finish | undefined
    readonly usage: Usage | undefined
    readonly done: boolean
    readonly error: ErrorInfo | undefined
  }
}

export type TextDialect = {
  id: DialectId
  /** Below an upstream's base address. */
  upstreamPath: string
  /** Client headers that may go on to an upstream of this dialect. */
  carriedHeaders: readonly string[]
  heartbeat: Uint8Array
  readRequest(body: Uint8Array): TextRequest | ErrorInfo
  readReply(bytes: Uint8Array, renameTo: string | undefined): TextReply
  openMeter(options: { showUsage: boolean; choices: number; renameTo: string | undefined }): Meter
}
