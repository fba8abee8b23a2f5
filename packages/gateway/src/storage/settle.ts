// Drives the settlement machine with the real store, journal and clock. The rules are in money/settlement.ts.
import type { Nanos } from '../money/amount.ts'
import type { Extend, Hold, Refusal, Verb } from '../money/ledger.ts'
import {
  begin,
  beginFinish,
  type Command,
  type Event,
  type Finish,
  isApplied,
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
export type Refused = { outcome: Refusal | 'store_down'; available: Nanos }
export type OpenRequest = {
  granted: Nanos
  /**
   * Output is ready that brings the cost to `cost`; `more` should be held as the stream goes on (0: it has its cap).
   * `stop`: not covered and not to be had, so end the stream as `length`. Answers at once unless it has to wait for money.
   */
  output(cost: Nanos, more: Nanos): 'deliver' | 'stop' | Promise<'deliver' | 'stop'>
  settle(cost: Nanos, ending: string, receipt: string): Promise<Settled>
  void(ending: string, receipt: string): Promise<Settled>
}

export type Settler = {
  open(hold: Hold): Promise<Opened>
  /** The end of a request that was opened elsewhere, or by another process. Rejects with NotSettled. */
  settle(verb: Finish): Promise<Settled>
}

export function createSettler(parts: SettlerParts): Settler {
  const { storage, journal, monotonic, after, report } = parts

  /** Carries out what the machine wants of store and journal, and tells `decided` the rest. */
  function drive(first: Step, decided: (command: Command) => void): (event: Event) => void {
    let state = first.state
    function feed(event: Event): void {
      const next = step(state, event, monotonic())
      state = next.state
      next.commands.forEach(carryOut)
    }
    function carryOut(command: Command): void {
      if (command.do === 'ask') void askStore(command.verb, command.pauseMs).then(feed)
      else if (command.do === 'spool') void spool(command.verb, command.awaited).then((event) => event && feed(event))
      else decided(command)
    }
    first.commands.forEach(carryOut)
    return feed
  }

  async function askStore(verb: Hold | Extend | Finish, pauseMs: number): Promise<Event> {
    if (pauseMs > 0) await new Promise<void>((resolve) => after(pauseMs, resolve))
    const kind = verb.verb === 'hold' || verb.verb === 'extend' ? verb.verb : 'finish'
    const store = impatient(storage, kind === 'finish' ? FINISH_TRY_MS : HOLD_WITHIN_MS, after)
    // Whatever the reason, nobody knows whether the verb took effect: all failures are silence.
    const result = await store.apply(verb).catch((error) => silence(verb, error))
    if (result === undefined) return { event: 'silence', verb: kind }
    if (kind === 'hold') return { event: 'answer', verb: kind, result, mayDispatch: parts.mayDispatch() }
    if (kind === 'finish' && result.outcome !== 'done' && result.outcome !== 'repeated')
      report(`the store refused to ${verb.verb} a request: ${result.outcome}`)
    return { event: 'answer', verb: kind, result }
  }

  function silence(verb: Verb, error: unknown): undefined {
    if (!(error instanceof StoreDown)) report(`the store failed on ${verb.verb}`, error)
  }

  async function spool(verb: Finish, awaited: boolean): Promise<Event | undefined> {
    try {
      await journal.append(verb)
      return awaited ? { event: 'journaled' } : undefined
    } catch (error) {
      report(`request ${verb.id} could not be written to the journal`, error)
      return awaited ? { event: 'journal-failed' } : undefined
    }
  }

  function open(hold: Hold): Promise<Opened> {
    return new Promise((resolve) => {
      let decision: ((word: 'deliver' | 'stop') => void) | undefined
      let settled = unsettled()
      const feed = drive(begin(hold), (command) => {
        if (command.do === 'dispatch') resolve({ outcome: 'open', request: request(command.granted) })
        else if (command.do === 'refuse') resolve({ outcome: command.outcome, available: command.available })
        else if (command.do === 'deliver' || command.do === 'stop') decision?.(command.do)
        else settled.take(command)
      })
      const { id, slot, epoch } = hold
      function finish(verb: Finish): Promise<Settled> {
        settled = unsettled()
        feed({ event: 'finish', verb })
        return settled.promise
      }
      const request = (granted: Nanos): OpenRequest => ({
        granted,
        output(cost, more) {
          let word: 'deliver' | 'stop' | undefined
          decision = (decided) => {
            word = decided
          }
          feed({ event: 'output', cost, step: more })
          if (word !== undefined) return word
          return new Promise((decided) => {
            decision = decided
          })
        },
        settle: (cost, ending, receipt) => finish({ verb: 'settle', id, slot, epoch, cost, ending, receipt }),
        void: (ending, receipt) => finish({ verb: 'void', id, slot, epoch, ending, receipt }),
      })
    })
  }

  function settle(verb: Finish): Promise<Settled> {
    const settled = unsettled()
    drive(beginFinish(verb, monotonic()), settled.take)
    return settled.promise
  }

  return { open, settle }
}

function unsettled() {
  const { promise, resolve, reject } = Promise.withResolvers<Settled>()
  // A void that follows a refused dispatch is awaited by nobody; its failure must not end the process.
  promise.catch(() => {})
  const take = (command: Command): void => {
    if (command.do === 'release') resolve({ charged: command.charged, spooled: command.spooled })
    else if (command.do === 'withhold') reject(new NotSettled('neither the store nor the journal took it'))
  }
  return { promise, take }
}

/** The same store, but a question that it leaves open for `ms` rejects with StoreDown instead of waiting for ever. */
export function impatient(storage: Store, ms: number, after: After): Store {
  return {
    apply: (verb) =>
      new Promise((resolve, reject) => {
        const cancel = after(ms, () => reject(new StoreDown(`no answer within ${ms} ms`)))
        storage.apply(verb).then(resolve, reject).finally(cancel)
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
