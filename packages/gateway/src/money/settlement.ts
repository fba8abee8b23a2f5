// A node's side of one request as a pure machine: what to ask of the store, and what to do when it does not answer.
//
//   holding -> open -> finishing -> over
//      |                 |   spooling -^        the store is silent: the local journal has to hold the end instead
//      +-> over (refused)
//
// The driver asks the store for what `ask` says and comes back with one `answer` or one `silence` for each ask. The two
// rules that money depends on: nothing is dispatched without a hold that the store confirmed, and the last byte leaves
// (`release`) only after the store or the journal has the end of the request durably.
import type { Nanos } from './amount.ts'
import {
  type Extend,
  type Hold,
  type Owned,
  type Refusal,
  type Result,
  type Settle,
  STALE_AFTER_MS,
  type Void,
} from './ledger.ts'

/** How often, and for how long, the end of a request is offered to the store before the journal takes it. */
export const FINISH_TRIES = 3
export const FINISH_WITHIN_MS = 2_000
/** After an extension without an answer the next one waits this long: a silent store is not asked at every token. */
export const EXTEND_PAUSE_MS = 1_000
/** A hold that nobody answered may still take effect this long after it was sent (time-outs of the store's own). */
export const HOLD_MAY_ARRIVE_MS = 30_000

export type Finish = Settle | Void

export type Settlement =
  | { phase: 'holding'; hold: Hold }
  | {
      phase: 'open'
      owner: Owned
      /** What is known to be held, and what the output delivered so far costs. */
      held: Nanos
      progress: Nanos
      asking: boolean
      /** Set once the store refused an extension: the stream ends where the hold ends. */
      final: boolean
      askAgainAt: number
      /** Output that waits for an extension: what all output costs with it. */
      waiting: Nanos | undefined
    }
  | { phase: 'finishing' | 'spooling'; verb: Finish; tries: number; since: number }
  | { phase: 'over' }

type Open = Extract<Settlement, { phase: 'open' }>
type Finishing = Extract<Settlement, { phase: 'finishing' | 'spooling' }>

export type Event =
  | { event: 'answer'; verb: 'hold'; result: Result; mayDispatch: boolean }
  | { event: 'answer'; verb: 'extend' | 'finish'; result: Result }
  | { event: 'silence'; verb: 'hold' | 'extend' | 'finish' }
  /** Output is ready that brings the request's cost to `cost`; `step` more should be held as it goes on (0: no more). */
  | { event: 'output'; cost: Nanos; step: Nanos }
  | { event: 'finish'; verb: Finish }
  | { event: 'journaled' }
  | { event: 'journal-failed' }

export type Command =
  | { do: 'ask'; verb: Hold | Extend | Finish; pauseMs: number }
  | { do: 'dispatch'; granted: Nanos }
  | { do: 'refuse'; outcome: Refusal | 'store_down'; available: Nanos }
  | { do: 'deliver' }
  /** The hold does not cover the waiting output and will not grow: end the stream as `length`. */
  | { do: 'stop' }
  /** Append to the journal; only an `awaited` append reports back. */
  | { do: 'spool'; verb: Finish; awaited: boolean }
  | { do: 'release'; charged: Nanos; spooled: boolean }
  /** Neither the store nor the journal has it: the last byte must not leave. */
  | { do: 'withhold' }

export type Step = { state: Settlement; commands: Command[] }

const OVER: Settlement = { phase: 'over' }
const stay = (state: Settlement): Step => ({ state, commands: [] })
const ask = (verb: Hold | Extend | Finish, pauseMs = 0): Command => ({ do: 'ask', verb, pauseMs })

/** Both on the node's monotonic clock; `renewedFrom` is when the last successful renewal was sent, not answered. */
export function mayDispatch(renewedFrom: number, now: number): boolean {
  return now - renewedFrom < STALE_AFTER_MS
}

export function begin(hold: Hold): Step {
  return { state: { phase: 'holding', hold }, commands: [ask(hold)] }
}

/** The end of a request, also of one that another process held. */
export function beginFinish(verb: Finish, now: number): Step {
  return { state: { phase: 'finishing', verb, tries: 1, since: now }, commands: [ask(verb)] }
}

/** Events that come too late for the phase (an extension's answer after the end) change nothing. */
export function step(state: Settlement, event: Event, now: number): Step {
  switch (state.phase) {
    case 'holding':
      return holding(state.hold, event, now)
    case 'open':
      return open(state, event, now)
    case 'finishing':
    case 'spooling':
      return finishing(state, event, now)
    case 'over':
      return stay(state)
  }
}

function holding(hold: Hold, event: Event, now: number): Step {
  const { id, slot, epoch } = hold
  const voided = (ending: string): Void => ({ verb: 'void', id, slot, epoch, ending, receipt: '' })
  if (event.event === 'silence' && event.verb === 'hold') {
    // The hold may have been placed all the same; without the void it would bind money for as long as this node lives.
    const spool: Command = { do: 'spool', verb: voided('store_down'), awaited: false }
    return { state: OVER, commands: [{ do: 'refuse', outcome: 'store_down', available: 0n }, spool] }
  }
  if (event.event !== 'answer' || event.verb !== 'hold') return stay({ phase: 'holding', hold })
  const { outcome, amount } = event.result
  if (outcome !== 'done' && outcome !== 'repeated')
    return { state: OVER, commands: [{ do: 'refuse', outcome, available: amount }] }
  if (!event.mayDispatch) {
    // Others may be about to declare this node dead and give the money back.
    const ending = beginFinish(voided('node_lost'), now)
    return { ...ending, commands: [{ do: 'refuse', outcome: 'node_lost', available: 0n }, ...ending.commands] }
  }
  const state: Open = {
    phase: 'open',
    owner: { id, slot, epoch },
    held: amount,
    progress: 0n,
    asking: false,
    final: false,
    askAgainAt: now,
    waiting: undefined,
  }
  return { state, commands: [{ do: 'dispatch', granted: amount }] }
}

function open(state: Open, event: Event, now: number): Step {
  switch (event.event) {
    case 'output':
      return output(state, event.cost, event.step, now)
    case 'finish':
      return beginFinish(event.verb, now)
    case 'answer':
      return event.verb === 'extend' ? extended(state, event.result) : stay(state)
    case 'silence': {
      if (event.verb !== 'extend') return stay(state)
      return resume({ ...state, asking: false, askAgainAt: now + EXTEND_PAUSE_MS })
    }
    default:
      return stay(state)
  }
}

function output(state: Open, cost: Nanos, step: Nanos, now: number): Step {
  const covered = cost <= state.held
  const progress = covered ? cost : state.progress
  const next: Open = { ...state, progress, waiting: covered ? undefined : cost }
  const commands: Command[] = covered ? [{ do: 'deliver' }] : []
  // What is there already and not covered is asked for also when no more shall come: one read may leap past the cap.
  const wanted = !covered || (step > 0n && cost * 2n > state.held)
  if (wanted && !state.asking && !state.final && now >= state.askAgainAt) {
    const missing = covered ? 1n : cost - state.held
    const asked = askFor(next, missing, step > missing ? step : missing)
    return { state: asked.state, commands: [...commands, ...asked.commands] }
  }
  if (!covered && !state.asking) return { state: next, commands: [{ do: 'stop' }] }
  return { state: next, commands }
}

function askFor(state: Open, minimum: Nanos, amount: Nanos): Step {
  const verb: Extend = {
    ...{ verb: 'extend', ...state.owner, known: state.held, amount, minimum, progress: state.progress },
  }
  return { state: { ...state, asking: true }, commands: [ask(verb)] }
}

function extended(state: Open, result: Result): Step {
  const granted = result.outcome === 'done' || result.outcome === 'repeated'
  const held = granted ? state.held + result.amount : state.held
  const next = { ...state, held, asking: false, final: state.final || !granted }
  // Output that came while the question was under way may need more than was asked for: that is no refusal.
  const missing = (next.waiting ?? 0n) - held
  return granted && missing > 0n ? askFor(next, missing, missing) : resume(next)
}

/** The answer to an extension is in, or is not coming: what waited for it goes out if it is covered, or ends the stream. */
function resume(state: Open): Step {
  if (state.waiting === undefined) return stay(state)
  const covered = state.waiting <= state.held
  const progress = covered ? state.waiting : state.progress
  return { state: { ...state, progress, waiting: undefined }, commands: [{ do: covered ? 'deliver' : 'stop' }] }
}

function finishing(state: Finishing, event: Event, now: number): Step {
  const { verb, tries, since } = state
  if (event.event === 'answer' && event.verb === 'finish') {
    const { outcome, amount } = event.result
    const charged = outcome === 'done' || outcome === 'repeated' ? amount : 0n
    return { state: OVER, commands: [{ do: 'release', charged, spooled: false }] }
  }
  if (state.phase === 'finishing') {
    if (event.event !== 'silence' || event.verb !== 'finish') return stay(state)
    if (tries < FINISH_TRIES && now - since < FINISH_WITHIN_MS)
      return { state: { ...state, tries: tries + 1 }, commands: [ask(verb, 50 * tries)] }
    return { state: { ...state, phase: 'spooling' }, commands: [{ do: 'spool', verb, awaited: true }] }
  }
  if (event.event === 'journaled') {
    const charged = verb.verb === 'settle' ? verb.cost : 0n
    return { state: OVER, commands: [{ do: 'release', charged, spooled: true }] }
  }
  if (event.event === 'journal-failed') return { state: OVER, commands: [{ do: 'withhold' }] }
  return stay(state)
}

/**
 * Whether a journaled end is done with, now that the store gave `result`. The void of an unanswered hold is not while the
 * hold is unknown and may still arrive. `ageMs` since it was journaled; Infinity for a former process's.
 */
export function isApplied(verb: Finish, result: Result, ageMs: number): boolean {
  return !(verb.verb === 'void' && result.outcome === 'unknown_request' && ageMs < HOLD_MAY_ARRIVE_MS)
}
