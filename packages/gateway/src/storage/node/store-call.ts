// One call to the store with exactly one event as its result: the response, or `no-response` if the store is late or fails.
import { type Begin, isDone, type RequestVerb, type Result } from '../../money/ledger.ts'
import type { Event } from '../../money/settlement.ts'
import { type Completion, StoreDown } from '../storage.ts'
import { DeadlineEntry, type Deadlines } from './deadlines.ts'
import type { LedgerCounts } from './ledger-counts.ts'

/** Reports an error to the operator. */
export type Report = (message: string, error?: unknown) => void
/** Gets exactly one event. */
export type StoreListener = { onEvent(event: Event): void }
export type StoreCallContext = {
  mayDispatch: () => boolean
  report: Report
  /** The store failed, whatever the reason. */
  failed?: (() => void) | undefined
  ended?: ((id: bigint) => void) | undefined
  counts: LedgerCounts
  /** Timeouts of holds and extensions, and of the ends of requests. */
  holdDeadlines: Deadlines
  finishDeadlines: Deadlines
}

/** To the request that a task becomes, its begin is what a hold is to others. */
const KINDS = { hold: 'hold', begin: 'hold', extend: 'extend', settle: 'finish', void: 'finish' } as const

/**
 * Uses callbacks instead of promises: every request makes two calls, and a promise costs about as much as the rest of
 * a call.
 */
export class StoreCall extends DeadlineEntry implements Completion<Result> {
  readonly #kind: 'hold' | 'extend' | 'finish'
  readonly #verb: RequestVerb | Begin
  readonly #listener: StoreListener
  readonly #context: StoreCallContext
  readonly #deadlines: Deadlines
  readonly #begunAt: number
  #isOver = false

  constructor(verb: RequestVerb | Begin, listener: StoreListener, context: StoreCallContext) {
    super()
    this.#kind = KINDS[verb.verb]
    this.#verb = verb
    this.#listener = listener
    this.#context = context
    this.#deadlines = this.#kind === 'finish' ? context.finishDeadlines : context.holdDeadlines
    this.#deadlines.add(this)
    this.#begunAt = context.counts.begun(verb)
  }

  onTimeout(): void {
    this.#isOver = true
    this.#listener.onEvent({ event: 'no-response', verb: this.#kind })
  }

  resolve(result: Result): void {
    // Also if it comes too late for the request.
    this.#context.counts.ended(this.#verb, this.#begunAt, result)
    if (this.#isOver) return
    this.#end()
    this.#listener.onEvent(this.#eventOf(result))
  }

  reject(error: unknown): void {
    this.#context.counts.ended(this.#verb, this.#begunAt, undefined)
    if (this.#isOver) return
    this.#end()
    this.#context.failed?.()
    // Whatever the reason, it is unknown whether the verb took effect.
    if (!(error instanceof StoreDown)) this.#context.report(`the database failed on ${this.#verb.verb}`, error)
    this.#listener.onEvent({ event: 'no-response', verb: this.#kind })
  }

  #end(): void {
    this.#isOver = true
    this.#deadlines.remove(this)
  }

  #eventOf(result: Result): Event {
    const verb = this.#kind
    if (verb === 'hold') return { event: 'response', verb, result, mayDispatch: this.#context.mayDispatch() }
    if (verb === 'finish' && isDone(result)) this.#context.ended?.(this.#verb.id)
    else if (verb === 'finish')
      this.#context.report(`the database rejected the ${this.#verb.verb} of a request: ${result.verdict}`)
    return { event: 'response', verb, result }
  }
}
