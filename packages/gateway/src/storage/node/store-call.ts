// One question to the store, and its one answer: what the store says, or silence when it is late or fails.
import type { Extend, Hold, Result } from '../../money/ledger.ts'
import type { Event, Finish } from '../../money/settlement.ts'
import { type Completion, StoreDown } from '../storage.ts'
import { DeadlineEntry, type Deadlines } from './deadlines.ts'

/** Tells an operator what went wrong. */
export type Report = (message: string, error?: unknown) => void
export type RequestVerb = Hold | Extend | Finish
export type OnEvent = (event: Event) => void
export type StoreCallContext = {
  mayDispatch: () => boolean
  report: Report
  /** By when holds and extensions, and the ends of requests, have to be answered. */
  holdDeadlines: Deadlines
  finishDeadlines: Deadlines
}

/**
 * It is told by calls, not by promises: there are two for every request, and each promise in between costs about as much
 * as the rest of the question.
 */
export class StoreCall extends DeadlineEntry implements Completion<Result> {
  readonly #kind: 'hold' | 'extend' | 'finish'
  readonly #verb: RequestVerb
  readonly #told: OnEvent
  readonly #answering: StoreCallContext
  readonly #deadlines: Deadlines
  #isOver = false

  constructor(verb: RequestVerb, told: OnEvent, answering: StoreCallContext) {
    super()
    this.#kind = verb.verb === 'hold' || verb.verb === 'extend' ? verb.verb : 'finish'
    this.#verb = verb
    this.#told = told
    this.#answering = answering
    this.#deadlines = this.#kind === 'finish' ? answering.finishDeadlines : answering.holdDeadlines
    this.#deadlines.add(this)
  }

  onTimeout(): void {
    this.#isOver = true
    this.#told({ event: 'no-response', verb: this.#kind })
  }

  resolve(result: Result): void {
    if (this.#isOver) return
    this.#end()
    this.#told(this.#answerOf(result))
  }

  reject(error: unknown): void {
    if (this.#isOver) return
    this.#end()
    // Whatever the reason, it is unknown whether the verb took effect: all failures count as silence.
    if (!(error instanceof StoreDown)) this.#answering.report(`the store failed on ${this.#verb.verb}`, error)
    this.#told({ event: 'no-response', verb: this.#kind })
  }

  /** Before it is due. */
  #end(): void {
    this.#isOver = true
    this.#deadlines.remove(this)
  }

  #answerOf(result: Result): Event {
    const verb = this.#kind
    if (verb === 'hold') return { event: 'response', verb, result, mayDispatch: this.#answering.mayDispatch() }
    if (verb === 'finish' && result.outcome !== 'done' && result.outcome !== 'repeated')
      this.#answering.report(`the store refused to ${this.#verb.verb} a request: ${result.outcome}`)
    return { event: 'response', verb, result }
  }
}
