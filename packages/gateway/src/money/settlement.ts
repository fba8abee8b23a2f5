// A node's side of one request as a pure machine: what to ask of the store, and what to do when it does not answer.
//
//   holding -> open -> finishing -> over
//      |                 |   spooling -^        the store is silent: the local journal has to hold the end instead
//      +-> over (refused)
//
// The driver asks the store for what `ask` says and comes back with one `answer` or one `silence` for each ask. The two
// rules that money depends on: nothing is dispatched without a hold that the store confirmed, and the last byte leaves
// (`release`) only after the store or the journal has the end of the request durably.
import { ceilDiv, type Nanos } from './amount.ts'
import {
  type Extend,
  type Hold,
  type Owned,
  type Rejection,
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
/** A hold without an answer may still take effect this long after it was sent (time-outs of the store's own). */
export const HOLD_MAY_ARRIVE_MS = 30_000
/** Of a limit per minute. */
const WINDOW_MS = 60_000
/** Output waits no longer than this before it asks again: requests that end give back what they did not use. */
const MOST_PAUSE_MS = 2_000

export type Finish = Settle | Void

export type Settlement =
  | { phase: 'holding'; hold: Hold }
  | {
      phase: 'open'
      owner: Owned
      /** What is known to be held, and what the output delivered so far costs. */
      held: Nanos
      progress: Nanos
      /** Tokens that limits per minute have granted. */
      heldTokens: number
      /** The extension under way, also while it waits for its moment. */
      extending: Wanted | undefined
      /** Set once the store refused an extension: the stream ends where the hold ends. */
      final: boolean
      retryAt: number
      /** When a limit per minute has room again; before that it is asked only for output that waits. */
      roomAt: number
      /** Output that waits for an extension: what all output costs, and its tokens, with it. */
      blocked: { cost: Nanos; tokens: number; isHold?: true | undefined } | undefined
    }
  | { phase: 'finishing' | 'spooling'; verb: Finish; tries: number; since: number }
  | { phase: 'over' }

/** What an extension is for: money, tokens of limits per minute, and the least of each. */
type Wanted = { money: Nanos; leastMoney: Nanos; tokens: number; leastTokens: number }

type Open = Extract<Settlement, { phase: 'open' }>
type Finishing = Extract<Settlement, { phase: 'finishing' | 'spooling' }>

export type Event =
  | { event: 'response'; verb: 'hold'; result: Result; mayDispatch: boolean }
  | { event: 'response'; verb: 'extend' | 'finish'; result: Result }
  | { event: 'no-response'; verb: 'hold' | 'extend' | 'finish' }
  /**
   * Output is ready that brings the request's cost to `cost`; `step` more should be held as it goes on (0: no more).
   * `tokens` and `stepTokens` are the same in tokens, for callers who have a limit on them.
   */
  | Output
  | Raise
  | { event: 'finish'; verb: Finish }
  | { event: 'journaled' }
  | { event: 'journal-failed' }

export type Output = {
  event: 'output'
  cost: Nanos
  step: Nanos
  tokens?: number
  stepTokens?: number
}

/**
 * Before any output: another upstream is more expensive. `amount` should be held for it, `least` has to be; nothing of it is
 * progress, which a reaper would charge.
 */
export type Raise = { event: 'raise'; amount: Nanos; least: Nanos }

export type Command =
  | { do: 'send'; verb: Hold | Extend | Finish; pauseMs: number }
  | { do: 'dispatch'; granted: Nanos; tokens: number }
  /** `available` as the ledger's result has it: money, or for limits the milliseconds until there is room. */
  | { do: 'reject'; outcome: Rejection | 'store_down'; available: Nanos }
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
const LONG_AGO = Number.NEGATIVE_INFINITY
const stay = (state: Settlement): Step => ({ state, commands: [] })
const send = (verb: Hold | Extend | Finish, pauseMs = 0): Command => ({ do: 'send', verb, pauseMs })

/** Both on the node's monotonic clock; `renewedFrom` is when the last successful renewal was sent, not answered. */
export function mayDispatch(renewedFrom: number, now: number): boolean {
  return now - renewedFrom < STALE_AFTER_MS
}

export function begin(hold: Hold): Step {
  return { state: { phase: 'holding', hold }, commands: [send(hold)] }
}

/** The end of a request, also of one that another process held. */
export function beginFinish(verb: Finish, now: number): Step {
  return { state: { phase: 'finishing', verb, tries: 1, since: now }, commands: [send(verb)] }
}

/** The node's monotonic one, in milliseconds. */
export type Clock = () => number

/**
 * Events that come too late for the phase (an extension's answer after the end) change nothing. The clock is looked at only
 * where the time matters: that costs as much as the rest of a step.
 */
export function step(state: Settlement, event: Event, clock: Clock): Step {
  switch (state.phase) {
    case 'holding':
      return holding(state.hold, event, clock)
    case 'open':
      return open(state, event, clock())
    case 'finishing':
    case 'spooling':
      return finishing(state, event, clock)
    case 'over':
      return stay(state)
  }
}

function holding(hold: Hold, event: Event, clock: Clock): Step {
  const { id, slot, epoch } = hold
  const voided = (ending: string): Void => ({ verb: 'void', id, slot, epoch, ending, receipt: '' })
  if (event.event === 'no-response' && event.verb === 'hold') {
    // The hold may have been placed all the same; without the void it would bind money for as long as this node lives.
    const spool: Command = { do: 'spool', verb: voided('store_down'), awaited: false }
    return { state: OVER, commands: [{ do: 'reject', outcome: 'store_down', available: 0n }, spool] }
  }
  if (event.event !== 'response' || event.verb !== 'hold') return stay({ phase: 'holding', hold })
  const { outcome, amount, tokens } = event.result
  if (outcome !== 'done' && outcome !== 'repeated')
    return { state: OVER, commands: [{ do: 'reject', outcome, available: amount }] }
  if (!event.mayDispatch) {
    // Others may be about to declare this node dead and give the money back.
    const ending = beginFinish(voided('node_lost'), clock())
    return { ...ending, commands: [{ do: 'reject', outcome: 'node_lost', available: 0n }, ...ending.commands] }
  }
  const state: Open = {
    phase: 'open',
    owner: { id, slot, epoch },
    held: amount,
    progress: 0n,
    heldTokens: tokens,
    extending: undefined,
    final: false,
    retryAt: LONG_AGO,
    roomAt: LONG_AGO,
    blocked: undefined,
  }
  return { state, commands: [{ do: 'dispatch', granted: amount, tokens }] }
}

function open(state: Open, event: Event, now: number): Step {
  switch (event.event) {
    case 'output':
      return output(state, event, now)
    case 'raise':
      return raise(state, event, now)
    case 'finish':
      return beginFinish(event.verb, now)
    case 'response':
      return event.verb === 'extend' ? extended(state, event.result, now) : stay(state)
    case 'no-response': {
      if (event.verb !== 'extend') return stay(state)
      const next: Open = { ...state, extending: undefined, retryAt: now + EXTEND_PAUSE_MS }
      return state.blocked?.isHold ? notRaised(next) : resume(next)
    }
    default:
      return stay(state)
  }
}

function output(state: Open, { cost, step, tokens = 0, stepTokens = 0 }: Output, now: number): Step {
  const covered = cost <= state.held && tokens <= state.heldTokens
  const progress = covered ? cost : state.progress
  const next: Open = { ...state, progress, blocked: covered ? undefined : { cost, tokens } }
  const commands: Command[] = covered ? [{ do: 'deliver' }] : []
  if (state.extending) return { state: next, commands }
  const asked = extension(next, { cost, step, tokens, stepTokens }, now)
  if (asked) return { state: asked.state, commands: [...commands, ...asked.commands] }
  return { state: next, commands: covered ? commands : [{ do: 'stop' }] }
}

function raise(state: Open, { amount, least }: Raise, now: number): Step {
  const blocked = { cost: least, tokens: 0, isHold: true } as const
  if (amount <= state.held) return resume({ ...state, blocked })
  if (now < state.retryAt) return notRaised(state)
  const money = { money: amount - state.held, leastMoney: largest(least - state.held, 1n) }
  return requestExtension({ ...state, blocked }, { ...money, tokens: 0, leastTokens: 0 }, 0)
}

/** The store has not said that there is no more money: output must not be cut to what is held. */
function notRaised(state: Open): Step {
  return { state: { ...state, blocked: undefined }, commands: [{ do: 'stop' }] }
}

/** What should be asked for now, if anything: what is missing, and a step more in time before it is. */
function extension(state: Open, want: Required<Omit<Output, 'event'>>, now: number): Step | undefined {
  const { cost, step, tokens, stepTokens } = want
  const missing = cost - state.held
  const spareTokens = state.heldTokens - tokens
  // A silent store is left alone for a while, and what was refused for good is not asked for again.
  if (now < state.retryAt || (state.final && missing > 0n)) return undefined
  // What is there already and not covered is asked for also when no more shall come: one read may leap past the cap.
  const wantsMoney = missing > 0n || (step > 0n && !state.final && cost * 2n > state.held)
  const wantsTokens = spareTokens < 0 || (now >= state.roomAt && spareTokens * 2 < stepTokens)
  if (!wantsMoney && !wantsTokens) return undefined
  const wanted: Wanted = {
    money: wantsMoney ? largest(missing, step) : 0n,
    leastMoney: wantsMoney ? largest(missing, 1n) : 0n,
    tokens: wantsTokens ? Math.max(-spareTokens, stepTokens) : 0,
    leastTokens: wantsTokens ? Math.max(-spareTokens, Math.ceil(stepTokens / 2)) : 0,
  }
  // A step in advance does not wait; output that is not covered waits until the limit has room.
  return requestExtension(state, wanted, spareTokens < 0 ? pauseUntil(state.roomAt, now) : 0)
}

/** An extension buys tokens with money. Where only tokens are wanted, one nano-dollar each is as good as nothing. */
function requestExtension(state: Open, wanted: Wanted, pauseMs: number): Step {
  const { tokens } = wanted
  const amount = largest(wanted.money, BigInt(tokens))
  const forTokens = tokens === 0 ? 0n : ceilDiv(amount * BigInt(wanted.leastTokens), BigInt(tokens))
  const minimum = largest(wanted.leastMoney, forTokens)
  const verb: Extend = {
    ...{ verb: 'extend', ...state.owner, known: state.held, amount, minimum, tokens, progress: state.progress },
    // Once for all of an answer, as a hold is, and not a step of many.
    ...(state.blocked?.isHold && { whole: true }),
  }
  return { state: { ...state, extending: wanted }, commands: [send(verb, pauseMs)] }
}

function extended(state: Open, result: Result, now: number): Step {
  const { extending, blocked } = state
  const next: Open = { ...state, extending: undefined }
  const isGranted = result.outcome === 'done' || result.outcome === 'repeated'
  // One upstream was too expensive, or a limit has no room now: that says nothing about the output of another upstream.
  if (blocked?.isHold) return resume(isGranted ? { ...next, held: next.held + result.amount } : next)
  if (result.outcome === 'key_tokens' || result.outcome === 'account_tokens')
    return limited({ ...next, roomAt: now + Number(result.amount) }, extending, now)
  if (!isGranted) {
    // Output that is paid for, or costs nothing, does not end for want of the nano-dollars of its tokens.
    const isPaid = blocked !== undefined && blocked.cost <= state.held
    return resume({ ...next, final: true, ...(isPaid ? { heldTokens: Number.POSITIVE_INFINITY } : {}) })
  }
  next.held += result.amount
  next.heldTokens += result.outcome === 'done' ? result.tokens : (extending?.tokens ?? 0)
  // Output that came while the question was under way may need more than was asked for: that is no refusal.
  const more = blocked && extension(next, { ...blocked, step: 0n, stepTokens: 0 }, now)
  return more ?? resume(next)
}

/** A limit per minute is no end: what waits is asked for again when there is room, in parts if it does not fit at once. */
function limited(state: Open, asked: Wanted | undefined, now: number): Step {
  if (!state.blocked || !asked) return resume(state)
  // So long a wait says that it never fits, or that a window is full to the brim: less of it may fit sooner.
  if (state.roomAt - now < WINDOW_MS || asked.leastTokens <= 1)
    return requestExtension(state, asked, pauseUntil(state.roomAt, now))
  const half = Math.ceil(asked.leastTokens / 2)
  return requestExtension(state, { ...asked, tokens: half, leastTokens: half }, 0)
}

const pauseUntil = (at: number, now: number): number => Math.min(MOST_PAUSE_MS, Math.max(0, at - now))

/** The answer to an extension is in, or is not coming: what waited for it goes out if it is covered, or ends the stream. */
function resume(state: Open): Step {
  const { blocked, held, heldTokens } = state
  if (blocked === undefined) return stay(state)
  const covered = blocked.cost <= held && blocked.tokens <= heldTokens
  const progress = covered && !blocked.isHold ? blocked.cost : state.progress
  return { state: { ...state, progress, blocked: undefined }, commands: [{ do: covered ? 'deliver' : 'stop' }] }
}

const largest = (one: Nanos, other: Nanos): Nanos => (one > other ? one : other)

function finishing(state: Finishing, event: Event, clock: Clock): Step {
  const { verb, tries, since } = state
  if (event.event === 'response' && event.verb === 'finish') {
    const { outcome, amount } = event.result
    const charged = outcome === 'done' || outcome === 'repeated' ? amount : 0n
    return { state: OVER, commands: [{ do: 'release', charged, spooled: false }] }
  }
  if (state.phase === 'finishing') {
    if (event.event !== 'no-response' || event.verb !== 'finish') return stay(state)
    if (tries < FINISH_TRIES && clock() - since < FINISH_WITHIN_MS)
      return { state: { ...state, tries: tries + 1 }, commands: [send(verb, 50 * tries)] }
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
