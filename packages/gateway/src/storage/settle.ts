// Drives the settlement machine with the real store, journal and clock. The rules are in money/settlement.ts.
import type { Nanos } from '../money/amount.ts'
import type { Extend, Hold, Owned, Refusal, Result } from '../money/ledger.ts'
import {
  begin,
  beginFinish,
  type Event,
  type Finish,
  isApplied,
  type Output,
  type Settlement,
  type Step,
  step,
} from '../money/settlement.ts'
import type { Journal, Replay } from './journal.ts'
import { type Storage, StoreDown } from './storage.ts'

/** How long one question to the store may take before it counts as unanswered. */
const HOLD_WITHIN_MS = 5_000
const FINISH_TRY_MS = 1_000

export type Store = Pick<Storage, 'apply'>
/** Runs `run` once, later; gives the function that calls it off. */
export type After = (ms: number, run: () => void) => () => void
/** What an operator should hear of. */
export type Report = (message: string, error?: unknown) => void

export type SettlerParts = {
  storage: Store
  journal: Pick<Journal, 'append'>
  monotonic: () => number
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

export type Opened = { outcome: 'open'; request: OpenRequest } | Refused
/** `available`: of money; for a limit per minute, the milliseconds until there is room. */
export type Refused = { outcome: Refusal | 'store_down'; available: Nanos }
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
  /** Holds at least `amount` before anything is sent: another upstream is dearer. `stop`: it is not to be had. */
  raise(amount: Nanos): 'deliver' | 'stop' | Promise<'deliver' | 'stop'>
  /** `tokens`: all that it used. */
  settle(cost: Nanos, tokens: number, ending: string, receipt: string): Promise<Settled>
  void(ending: string, receipt: string): Promise<Settled>
}

export type Settler = {
  open(hold: Hold): Promise<Opened>
  /** The end of a request that was opened elsewhere, or by another process. Rejects with NotSettled. */
  settle(verb: Finish): Promise<Settled>
}

export function createSettler(parts: SettlerParts): Settler {
  const { storage, journal, monotonic, after, report } = parts

  /** One promise for one question: the store's answer, or silence when it is late or fails. */
  function askNow(verb: Hold | Extend | Finish): Promise<Event> {
    const kind = verb.verb === 'hold' || verb.verb === 'extend' ? verb.verb : 'finish'
    return new Promise((resolve) => {
      let isLate = false
      const cancel = after(kind === 'finish' ? FINISH_TRY_MS : HOLD_WITHIN_MS, () => {
        isLate = true
        resolve({ event: 'silence', verb: kind })
      })
      storage.apply(verb).then(
        (result) => {
          if (isLate) return
          cancel()
          resolve(answerOf(verb, kind, result))
        },
        (error) => {
          if (isLate) return
          cancel()
          // Whatever the reason, nobody knows whether the verb took effect: all failures are silence.
          if (!(error instanceof StoreDown)) report(`the store failed on ${verb.verb}`, error)
          resolve({ event: 'silence', verb: kind })
        },
      )
    })
  }

  function answerOf(verb: Hold | Extend | Finish, kind: 'hold' | 'extend' | 'finish', result: Result): Event {
    if (kind === 'hold') return { event: 'answer', verb: kind, result, mayDispatch: parts.mayDispatch() }
    if (kind === 'finish' && result.outcome !== 'done' && result.outcome !== 'repeated')
      report(`the store refused to ${verb.verb} a request: ${result.outcome}`)
    return { event: 'answer', verb: kind, result }
  }

  function askStore(verb: Hold | Extend | Finish, pauseMs: number): Promise<Event> {
    if (pauseMs <= 0) return askNow(verb)
    return new Promise<void>((resolve) => after(pauseMs, resolve)).then(() => askNow(verb))
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
  async function finish(first: Step): Promise<Settled> {
    let { state, commands } = first
    for (;;) {
      const [command] = commands
      if (command?.do === 'release') return { charged: command.charged, spooled: command.spooled }
      if (command?.do !== 'ask' && command?.do !== 'spool')
        throw new NotSettled('neither the store nor the journal took it')
      const event = command.do === 'ask' ? await askStore(command.verb, command.pauseMs) : await spool(command.verb)
      const next = step(state, event, monotonic())
      state = next.state
      commands = next.commands
    }
  }

  async function open(hold: Hold): Promise<Opened> {
    const { state, commands } = step(begin(hold).state, await askStore(hold, 0), monotonic())
    const [command, cleanUp] = commands
    if (command?.do === 'dispatch') return { outcome: 'open', request: new HeldRequest(hold, command, state, driver) }
    // Nobody waits for the void of a hold that is not used; if it fails, that has been reported.
    if (cleanUp?.do === 'spool') void spool(cleanUp.verb)
    else if (cleanUp) finish({ state, commands: [cleanUp] }).catch(() => {})
    if (command?.do === 'refuse') return { outcome: command.outcome, available: command.available }
    throw new Error('a hold was neither granted nor refused')
  }

  const driver: Driver = { askStore, finish, monotonic }
  return { open, settle: (verb) => finish(beginFinish(verb, monotonic())) }
}

type Driver = {
  askStore(verb: Hold | Extend | Finish, pauseMs: number): Promise<Event>
  finish(first: Step): Promise<Settled>
  monotonic(): number
}

const ignore = () => {}

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

  #ask(event: Output): 'deliver' | 'stop' | Promise<'deliver' | 'stop'> {
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

  raise(amount: Nanos): 'deliver' | 'stop' | Promise<'deliver' | 'stop'> {
    return this.#ask({ event: 'output', cost: amount, step: 0n, isHold: true })
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
    const first = step(this.#state, { event: 'finish', verb }, this.#driver.monotonic())
    // An extension's answer that comes later finds the request past extending.
    this.#state = first.state
    return this.#driver.finish(first)
  }

  #feed(event: Event): void {
    const next = step(this.#state, event, this.#driver.monotonic())
    this.#state = next.state
    for (const command of next.commands) {
      if (command.do === 'deliver' || command.do === 'stop') this.#decided(command.do)
      else if (command.do === 'ask')
        void this.#driver.askStore(command.verb, command.pauseMs).then((e) => this.#feed(e))
    }
  }
}

/** The same store, but a question that it leaves open for `ms` rejects with StoreDown instead of waiting for ever. */
export function impatient(storage: Store, ms: number, after: After): Store {
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
