// Drives the settlement machine with the real store, journal and clock. The rules are in money/settlement.ts.
import type { Nanos } from '../../money/amount.ts'
import type { Hold, Owned, Rejection } from '../../money/ledger.ts'
import {
  begin,
  beginFinish,
  type Command,
  type Event,
  type Finish,
  isApplied,
  type Output,
  type Raise,
  type Settlement,
  type Step,
  step,
} from '../../money/settlement.ts'
import { type Ledger, StoreDown } from '../storage.ts'
import { type After, Deadlines } from './deadlines.ts'
import type { Journal, Replay } from './journal.ts'
import { type OnEvent, type Report, type RequestVerb, StoreCall, type StoreCallContext } from './store-call.ts'

/** How long one question to the store may take before it counts as unanswered. */
const HOLD_WITHIN_MS = 5_000
const FINISH_TRY_MS = 1_000

export type Store = Pick<Ledger, 'apply' | 'submit'>

export type SettlerDependencies = {
  storage: Store
  journal: Pick<Journal, 'append'>
  /** Monotonic, and up to an interval behind: it is only asked how long something has taken, several times for each request. */
  clock: { now(): number; readonly intervalMs: number }
  after: After
  mayDispatch: () => boolean
  report: Report
}

/** `spooled`: the store did not answer, the journal has it; `charged` is then what will be charged if the wallet has it. */
export type Settled = { charged: bigint; spooled: boolean }
/** Neither the store nor the journal took the end of a request: its last byte must not be sent. */
export class NotSettled extends Error {
  override name = 'NotSettled'
}

export type Opened = { outcome: 'open'; request: OpenRequest } | RejectedHold
/** `available`: of money; for a limit per minute, the milliseconds until there is room. */
export type RejectedHold = { outcome: Rejection | 'store_down'; available: Nanos }
export type Tokens = { used: number; step: number }
export type OpenRequest = {
  granted: Nanos
  grantedTokens: number
  /** What was granted and what was added since, as far as the store has answered. */
  readonly held: Nanos
  readonly heldTokens: number
  /**
   * Output is ready that brings the cost to `cost`; `more` should be held as the stream goes on (0: it has its cap).
   * `tokens`: the same for limits per minute, where there are any. `stop`: not covered and not to be had, so end the stream
   * as `length`. Answers at once unless it has to wait for money, or for a limit to have room.
   */
  output(cost: Nanos, more: Nanos, tokens?: Tokens): 'deliver' | 'stop' | Promise<'deliver' | 'stop'>
  /**
   * Holds `amount` before anything is sent, because another upstream is more expensive, or as much of it as there is. `stop`: not
   * even `least` is to be had, or the store is silent.
   */
  raise(amount: Nanos, least: Nanos): 'deliver' | 'stop' | Promise<'deliver' | 'stop'>
  /** `tokens`: all that it used. */
  settle(cost: Nanos, tokens: number, ending: string, receipt: string): Promise<Settled>
  void(ending: string, receipt: string): Promise<Settled>
}

export type Settler = {
  open(hold: Hold): Promise<Opened>
  /** The end of a request that was opened elsewhere, or by another process. Rejects with NotSettled. */
  settle(verb: Finish): Promise<Settled>
}

export function createSettler(parts: SettlerDependencies): Settler {
  const { storage, journal, after, report } = parts
  const { now, intervalMs } = parts.clock
  const answering: StoreCallContext = {
    mayDispatch: parts.mayDispatch,
    report,
    holdDeadlines: new Deadlines(HOLD_WITHIN_MS + intervalMs, after, now),
    finishDeadlines: new Deadlines(FINISH_TRY_MS + intervalMs, after, now),
  }

  /** One call of `told` for one question: the store's answer, or silence when it is late or fails. */
  function askNow(verb: RequestVerb, told: OnEvent): void {
    const question = new StoreCall(verb, told, answering)
    if (storage.submit) storage.submit(verb, question)
    else
      storage.apply(verb).then(
        (result) => question.resolve(result),
        (error) => question.reject(error),
      )
  }

  function askStore(verb: RequestVerb, pauseMs: number, told: OnEvent): void {
    if (pauseMs <= 0) askNow(verb, told)
    else after(pauseMs, () => askNow(verb, told))
  }

  async function spool(verb: Finish): Promise<Event> {
    try {
      await journal.append(verb)
      return { event: 'journaled' }
    } catch (error) {
      report(`request ${verb.id} could not be written to the journal`, error)
      return { event: 'journal-failed' }
    }
  }

  /** Runs the machine to the end of a request: each of its commands but the last is a question with one answer. */
  function finish(first: Step): Promise<Settled> {
    return new Promise((resolve, reject) => {
      let { state } = first
      function run([command]: readonly Command[]): void {
        if (command?.do === 'release') resolve({ charged: command.charged, spooled: command.spooled })
        else if (command?.do === 'send') askStore(command.verb, command.pauseMs, told)
        else if (command?.do === 'spool') void spool(command.verb).then(told)
        else reject(new NotSettled('neither the store nor the journal took it'))
      }
      function told(event: Event): void {
        const next = step(state, event, now)
        state = next.state
        run(next.commands)
      }
      run(first.commands)
    })
  }

  function open(hold: Hold): Promise<Opened> {
    return new Promise((resolve, reject) => {
      askNow(hold, (event) => {
        const { state, commands } = step(begin(hold).state, event, now)
        const [command, cleanUp] = commands
        // Nothing waits for the void of an unused hold; a failure has been reported.
        if (cleanUp?.do === 'spool') void spool(cleanUp.verb)
        else if (cleanUp) finish({ state, commands: [cleanUp] }).catch(ignore)
        if (command?.do === 'dispatch')
          resolve({ outcome: 'open', request: new HeldRequest(hold, command, state, driver) })
        else if (command?.do === 'reject') resolve({ outcome: command.outcome, available: command.available })
        else reject(new Error('a hold was neither granted nor refused'))
      })
    })
  }

  const driver: Driver = { askStore, finish, now }
  return { open, settle: (verb) => finish(beginFinish(verb, now())) }
}

const ignore = () => {}

type Driver = {
  askStore(verb: RequestVerb, pauseMs: number, told: OnEvent): void
  finish(first: Step): Promise<Settled>
  now(): number
}

type Granted = { granted: Nanos; tokens: number }

/** A class for the same reason as the journey's Watch: there is one for every request. */
class HeldRequest implements OpenRequest {
  readonly granted: Nanos
  readonly grantedTokens: number
  readonly #owner: Owned
  readonly #driver: Driver
  #state: Settlement
  #decided: (word: 'deliver' | 'stop') => void = ignore

  constructor({ id, slot, epoch }: Hold, granted: Granted, state: Settlement, driver: Driver) {
    this.granted = granted.granted
    this.grantedTokens = granted.tokens
    this.#owner = { id, slot, epoch }
    this.#state = state
    this.#driver = driver
  }

  get held(): Nanos {
    return this.#state.phase === 'open' ? this.#state.held : this.granted
  }

  get heldTokens(): number {
    return this.#state.phase === 'open' ? this.#state.heldTokens : this.grantedTokens
  }

  output(cost: Nanos, more: Nanos, tokens?: Tokens): 'deliver' | 'stop' | Promise<'deliver' | 'stop'> {
    const counted = tokens && { tokens: tokens.used, stepTokens: tokens.step }
    return this.#ask({ event: 'output', cost, step: more, ...counted })
  }

  #ask(event: Output | Raise): 'deliver' | 'stop' | Promise<'deliver' | 'stop'> {
    let word: 'deliver' | 'stop' | undefined
    this.#decided = (decided) => {
      word = decided
    }
    this.#feed(event)
    if (word !== undefined) return word
    return new Promise((resolve) => {
      this.#decided = resolve
    })
  }

  raise(amount: Nanos, least: Nanos): 'deliver' | 'stop' | Promise<'deliver' | 'stop'> {
    return this.#ask({ event: 'raise', amount, least })
  }

  settle(cost: Nanos, tokens: number, ending: string, receipt: string): Promise<Settled> {
    const { id, slot, epoch } = this.#owner
    return this.#finish({ verb: 'settle', id, slot, epoch, cost, tokens, ending, receipt })
  }

  void(ending: string, receipt: string): Promise<Settled> {
    const { id, slot, epoch } = this.#owner
    return this.#finish({ verb: 'void', id, slot, epoch, ending, receipt })
  }

  #finish(verb: Finish): Promise<Settled> {
    const first = step(this.#state, { event: 'finish', verb }, this.#driver.now)
    // An extension's answer that comes later finds the request past extending.
    this.#state = first.state
    return this.#driver.finish(first)
  }

  #feed(event: Event): void {
    const next = step(this.#state, event, this.#driver.now)
    this.#state = next.state
    for (const command of next.commands) {
      if (command.do === 'deliver' || command.do === 'stop') this.#decided(command.do)
      else if (command.do === 'send')
        this.#driver.askStore(command.verb, command.pauseMs, (answer) => this.#feed(answer))
    }
  }
}

/** The same store, but a question that it leaves open for `ms` rejects with StoreDown instead of waiting forever. */
export function withTimeout(storage: Store, ms: number, after: After): Store {
  return {
    apply: (verb) =>
      new Promise((resolve, reject) => {
        const cancel = after(ms, () => reject(new StoreDown(`no answer within ${ms} ms`)))
        storage.apply(verb).then(
          (result) => {
            cancel()
            resolve(result)
          },
          (error) => {
            cancel()
            reject(error)
          },
        )
      }),
  }
}

/** Applies what the journal holds, this process's and former ones'; rejects when the store is down (all is kept). */
export function recover(storage: Store, journal: Pick<Journal, 'replay'>, report: Report): Promise<Replay> {
  return journal.replay(async (verb, ageMs) => {
    const result = await storage.apply(verb)
    const expected = result.outcome === 'done' || result.outcome === 'repeated' || verb.verb === 'void'
    if (!expected) report(`journaled ${verb.verb} of request ${verb.id} refused: ${result.outcome}`)
    return isApplied(verb, result, ageMs)
  })
}
