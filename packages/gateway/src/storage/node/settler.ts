// Drives the state machine of money/settlement.ts with the real store, journal and clock.
import { formatUsd, type Nanos } from '../../money/amount.ts'
import {
  type Begin,
  type Finish,
  type Hold,
  isDone,
  type RequestVerb,
  type Result,
  type Settle,
  type VerbRejection,
} from '../../money/ledger.ts'
import { formatRequestId } from '../../money/request-ids.ts'
import {
  begin,
  type Command,
  type Event,
  isApplied,
  type Output,
  type Raise,
  restoring,
  type Settlement,
  type Step,
  step,
} from '../../money/settlement.ts'
import type { Ledger } from '../storage.ts'
import { type After, Deadlines } from './deadlines.ts'
import type { Journal, Replay } from './journal.ts'
import type { LedgerCounts } from './ledger-counts.ts'
import { type Report, StoreCall, type StoreCallContext, type StoreListener } from './store-call.ts'

/** How long one call to the store may take. */
const HOLD_WITHIN_MS = 5_000
const FINISH_TRY_MS = 1_000

export type SettlerDependencies = {
  storage: Pick<Ledger, 'submit'>
  /** Learns of each verb. */
  counts: LedgerCounts
  journal: Pick<Journal, 'append'>
  /** Monotonic, and up to an interval behind: it measures durations, several times per request. */
  clock: { now(): number; readonly intervalMs: number }
  after: After
  mayDispatch: () => boolean
  /** Neither the store nor the journal accepts outcomes. */
  outcomeLost(): void
  /** The store or the journal has failed. */
  failed?(): void
  /** The store has confirmed the end of a request. */
  ended?(id: bigint): void
  report: Report
}

/** `spooled`: the outcome is only in the journal; `charged` is then what will be charged if the balance allows it. */
export type Settled = { charged: bigint; spooled: boolean }
/** Neither the store nor the journal has the outcome of a request: its last byte must not be sent. */
export class NotSettled extends Error {
  override name = 'NotSettled'
}

/** Which upstream answered, and what that costs the operator. */
type Answered = Pick<Settle, 'upstream' | 'upstreamCost'>

export type Opened = { verdict: 'open'; request: HeldFunds } | RejectedHold
/** `available`: money; for a limit per minute, the milliseconds until there is room. `budget`: the one that is reached. */
export type RejectedHold = { verdict: VerbRejection | 'store_down'; available: Nanos } & Pick<Result, 'budget'>
export type Tokens = { used: number; step: number }
export type HeldFunds = {
  granted: Nanos
  grantedTokens: number
  /** What was left under each budget of the hold before it, if it has any. */
  readonly budgetsLeft?: Result['budgetsLeft']
  /** What was granted and added since, as far as the store has confirmed it. */
  readonly held: Nanos
  readonly heldTokens: number
  /**
   * Output is ready that brings the cost to `cost`; `more` should be held as the stream continues (0: it has its cap).
   * `tokens`: the same for limits per minute, if there are any. `stop`: the output cannot be covered, so end the stream as
   * `length`. Returns a promise only if it has to wait for an extension.
   */
  output(cost: Nanos, more: Nanos, tokens?: Tokens): 'deliver' | 'stop' | Promise<'deliver' | 'stop'>
  /**
   * Raises the hold to `amount`, or as far as possible, before anything is sent to a more expensive upstream. `stop`: not even
   * `least` is available, or the store does not respond.
   */
  raise(amount: Nanos, least: Nanos): 'deliver' | 'stop' | Promise<'deliver' | 'stop'>
  /** `tokens`: all that the request used. */
  settle(
    cost: Nanos,
    tokens: number,
    outcome: string,
    receipt: string,
    by?: Answered,
    observer?: EndObserver,
  ): Promise<Settled>
  void(outcome: string, receipt: string, observer?: EndObserver): Promise<Settled>
}

/** Learns of the end before the promise resolves. Another promise for it would cost more than all that it does. */
export type EndObserver = (settled: Settled) => void

export type Settler = {
  open(hold: Hold): Promise<Opened>
  /** The hold of a task, which this node begins under its lease: `hold` is what it would place itself. */
  begin(hold: Hold, lease: number): Promise<Opened>
}

export function createSettler(deps: SettlerDependencies): Settler {
  const { storage, journal, after, report } = deps
  const { now, intervalMs } = deps.clock
  const context: StoreCallContext = {
    mayDispatch: deps.mayDispatch,
    report,
    failed: deps.failed,
    ended: deps.ended,
    counts: deps.counts,
    holdDeadlines: new Deadlines(HOLD_WITHIN_MS + intervalMs, after, now),
    finishDeadlines: new Deadlines(FINISH_TRY_MS + intervalMs, after, now),
  }

  function sendNow(verb: RequestVerb | Begin, listener: StoreListener): void {
    storage.submit(verb, new StoreCall(verb, listener, context))
  }

  const sendLater = (verb: RequestVerb, pauseMs: number, listener: StoreListener) =>
    after(pauseMs, () => sendNow(verb, listener))

  function send(verb: RequestVerb, pauseMs: number, listener: StoreListener): void {
    if (pauseMs <= 0) sendNow(verb, listener)
    else sendLater(verb, pauseMs, listener)
  }

  async function spool(verb: Finish): Promise<Event> {
    try {
      await journal.append(verb)
      return { event: 'journaled' }
    } catch (error) {
      report(`request ${formatRequestId(verb.id)} could not be written to the journal`, error)
      deps.outcomeLost()
      deps.failed?.()
      return { event: 'journal-failed' }
    }
  }

  const finish = (first: Step, observer?: EndObserver): Promise<Settled> =>
    new Promise((resolve, reject) => new Ending(first, { resolve, reject }, driver, observer).run(first.commands))

  const open = (hold: Hold, verb: Hold | Begin = hold): Promise<Opened> =>
    new Promise((resolve, reject) => sendNow(verb, new Opening(hold, { resolve, reject }, driver)))

  const driver: Driver = { send, spool, finish, now }
  return {
    open,
    begin(hold, lease) {
      const { id, nodeId, epoch } = hold
      return open(hold, { verb: 'begin', id, nodeId, epoch, lease })
    },
  }
}

const ignore = () => {}

type Driver = {
  send(verb: RequestVerb, pauseMs: number, listener: StoreListener): void
  spool(verb: Finish): Promise<Event>
  finish(first: Step, observer?: EndObserver): Promise<Settled>
  now(): number
}

type Callbacks<T> = { resolve(value: T): void; reject(error: unknown): void }

/** Waits for the verdict on a hold. A class, not closures: one is created for every request. */
class Opening implements StoreListener {
  readonly #hold: Hold
  readonly #callbacks: Callbacks<Opened>
  readonly #driver: Driver

  constructor(hold: Hold, callbacks: Callbacks<Opened>, driver: Driver) {
    this.#hold = hold
    this.#callbacks = callbacks
    this.#driver = driver
  }

  onEvent(event: Event): void {
    const { spool, finish, now } = this.#driver
    const { state, commands } = step(begin(this.#hold).state, event, now)
    const [command, cleanUp] = commands
    // Nothing waits for the void of an unused hold; a failure has been reported.
    if (cleanUp?.do === 'spool') void spool(cleanUp.verb)
    else if (cleanUp) finish({ state, commands: [cleanUp] }).catch(ignore)
    const { resolve, reject } = this.#callbacks
    if (command?.do === 'dispatch')
      resolve({ verdict: 'open', request: new HeldRequest(this.#hold, command, state, this.#driver) })
    else if (command?.do === 'reject') {
      const { verdict, available, budget } = command
      resolve({ verdict, available, ...(budget && { budget }) })
    } else reject(new Error('a hold was neither granted nor rejected'))
  }
}

/** Runs the state machine to the end of a request: each of its commands but the last results in one event. */
class Ending implements StoreListener {
  #state: Settlement
  readonly #callbacks: Callbacks<Settled>
  readonly #driver: Driver
  readonly #observer: EndObserver | undefined

  constructor({ state }: Step, callbacks: Callbacks<Settled>, driver: Driver, observer: EndObserver | undefined) {
    this.#state = state
    this.#callbacks = callbacks
    this.#driver = driver
    this.#observer = observer
  }

  run([command]: readonly Command[]): void {
    if (command?.do === 'send') this.#driver.send(command.verb, command.pauseMs, this)
    else if (command?.do === 'spool') void this.#spool(command.verb)
    else if (command?.do === 'release') this.#settled({ charged: command.charged, spooled: command.spooled })
    else this.#callbacks.reject(new NotSettled('neither the database nor the journal has the outcome'))
  }

  async #spool(verb: Finish): Promise<void> {
    this.onEvent(await this.#driver.spool(verb))
  }

  #settled(settled: Settled): void {
    try {
      this.#observer?.(settled)
      this.#callbacks.resolve(settled)
    } catch (error) {
      this.#callbacks.reject(error)
    }
  }

  onEvent(event: Event): void {
    const next = step(this.#state, event, this.#driver.now)
    this.#state = next.state
    this.run(next.commands)
  }
}

type Granted = { granted: Nanos; tokens: number } & Pick<Result, 'budgetsLeft'>

/** A class, not a closure: one is created for every request. */
class HeldRequest implements HeldFunds, StoreListener {
  readonly granted: Nanos
  readonly grantedTokens: number
  readonly budgetsLeft: Result['budgetsLeft']
  readonly #hold: Hold
  readonly #driver: Driver
  #state: Settlement
  #decided: (word: 'deliver' | 'stop') => void = ignore

  constructor(hold: Hold, granted: Granted, state: Settlement, driver: Driver) {
    this.granted = granted.granted
    this.grantedTokens = granted.tokens
    this.budgetsLeft = granted.budgetsLeft
    this.#hold = hold
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
    return this.#decide({ event: 'output', cost, step: more, ...counted })
  }

  #decide(event: Output | Raise): 'deliver' | 'stop' | Promise<'deliver' | 'stop'> {
    let word: 'deliver' | 'stop' | undefined
    this.#decided = (decided) => {
      word = decided
    }
    this.onEvent(event)
    if (word !== undefined) return word
    return new Promise((resolve) => {
      this.#decided = resolve
    })
  }

  raise(amount: Nanos, least: Nanos): 'deliver' | 'stop' | Promise<'deliver' | 'stop'> {
    return this.#decide({ event: 'raise', amount, least })
  }

  settle(
    cost: Nanos,
    tokens: number,
    outcome: string,
    receipt: string,
    by: Answered = {},
    observer?: EndObserver,
  ): Promise<Settled> {
    const { id, nodeId, epoch, model, account, key, budgets, attribution } = this.#hold
    const { upstream, upstreamCost } = by
    return this.#finish(
      {
        verb: 'settle',
        id,
        nodeId,
        epoch,
        cost,
        tokens,
        outcome,
        receipt,
        upstream,
        upstreamCost,
        model,
        account,
        key,
        budgets,
        attribution,
      },
      observer,
    )
  }

  void(outcome: string, receipt: string, observer?: EndObserver): Promise<Settled> {
    const { id, nodeId, epoch } = this.#hold
    return this.#finish({ verb: 'void', id, nodeId, epoch, outcome, receipt }, observer)
  }

  #finish(verb: Finish, observer?: EndObserver): Promise<Settled> {
    const first = step(this.#state, { event: 'finish', verb }, this.#driver.now)
    // The state ignores the response to an extension that arrives later.
    this.#state = first.state
    return this.#driver.finish(first, observer)
  }

  onEvent(event: Event): void {
    const next = step(this.#state, event, this.#driver.now)
    this.#state = next.state
    for (const command of next.commands) {
      if (command.do === 'deliver' || command.do === 'stop') this.#decided(command.do)
      else if (command.do === 'send') this.#driver.send(command.verb, command.pauseMs, this)
    }
  }
}

/** The response was delivered: its operator learns why it was not paid for. */
function notCharged({ id, cost }: Settle, charged: Nanos): string {
  const amounts = `charged ${formatUsd(charged)} of ${formatUsd(cost)} USD`
  return `journaled settle of request ${formatRequestId(id)}: ${amounts}; the rest is a shortfall, because the balance was used up, or because a repetition with the same idempotency key ran elsewhere: unless that was charged, this will be`
}

const bookedAgain = (id: bigint, charged: Nanos): string =>
  `request ${formatRequestId(id)} was unknown to the database, which has lost commits: booked from the journal, charged ${formatUsd(charged)} USD`

/** Applies the journals of this process and of former ones; rejects if the store is down, and keeps all entries. */
export function recover(
  storage: Pick<Ledger, 'apply'>,
  journal: Pick<Journal, 'replay'>,
  report: Report,
): Promise<Replay> {
  return journal.replay(async (verb, ageMs) => {
    const first = await storage.apply(verb)
    const restore = restoring(verb, first)
    const result = restore && isDone(await storage.apply(restore)) ? await storage.apply(verb) : first
    if (restore && isDone(result)) report(bookedAgain(verb.id, result.amount))
    if (!isDone(result) && verb.verb !== 'void')
      report(`journaled ${verb.verb} of request ${formatRequestId(verb.id)} rejected: ${result.verdict}`)
    if (verb.verb === 'settle' && isDone(result) && result.amount < verb.cost) report(notCharged(verb, result.amount))
    return isApplied(verb, result, ageMs)
  })
}
