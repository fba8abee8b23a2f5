// A node's side of one request as a pure state machine: what to send to the store, and what to do if it does not respond.
//
//   holding -> open -> finishing -> over
//      |                 |   spooling -^        no response: the outcome goes to the local journal instead
//      +-> over (rejected)
//
// For each `send` the driver returns one `response` or one `no-response`. Two rules protect the money: nothing is dispatched
// without a hold that the store confirmed, and the last byte is sent (`release`) only after the store or the journal has
// the outcome of the request durably.
import { stepOpen } from './extend-hold.ts'
import {
  type Finish,
  type Hold,
  isDone,
  type Restore,
  type Result,
  type Settle,
  STALE_AFTER_MS,
  type Void,
} from './ledger.ts'
import { type Command, type Event, type Finishing, type Settlement, type Step, send, stay } from './settlement-state.ts'

export * from './settlement-state.ts'

/** How often, and for how long, the outcome of a request is sent to the store before it goes to the journal. */
const FINISH_TRIES = 3
const FINISH_WITHIN_MS = 2_000
/** A hold without a response may still take effect this long after it was sent, given the store's own timeouts. */
const HOLD_MAY_ARRIVE_MS = 30_000

const OVER: Settlement = { phase: 'over' }
const LONG_AGO = Number.NEGATIVE_INFINITY

/** Both on the node's monotonic clock; `renewedFrom` is when the last successful renewal was sent, not confirmed. */
export function mayDispatch(renewedFrom: number, now: number): boolean {
  return now - renewedFrom < STALE_AFTER_MS
}

export function begin(hold: Hold): Step {
  return { state: { phase: 'holding', hold }, commands: [send(hold)] }
}

/** Ends a request, also one that another process held. */
export function beginFinish(verb: Finish, now: number): Step {
  return { state: { phase: 'finishing', verb, tries: 1, since: now }, commands: [send(verb)] }
}

/** The node's monotonic clock, in milliseconds. */
export type Clock = () => number

/**
 * Events that are too late for the phase (the response to an extension after the end) change nothing. The clock is read only
 * where the time matters, since reading it costs as much as the rest of a step.
 */
export function step(state: Settlement, event: Event, clock: Clock): Step {
  switch (state.phase) {
    case 'holding':
      return holding(state.hold, event, clock)
    case 'open':
      if (event.event === 'finish') return beginFinish(event.verb, clock())
      return stepOpen(state, event, clock())
    case 'finishing':
    case 'spooling':
      return finishing(state, event, clock)
    case 'over':
      return stay(state)
  }
}

function holding(hold: Hold, event: Event, clock: Clock): Step {
  const { id, nodeId, epoch } = hold
  if (event.event === 'no-response' && event.verb === 'hold') {
    // The hold may have been placed; without the void it would reserve money for as long as this node lives.
    const spool: Command = { do: 'spool', verb: voided(hold, 'store_down'), awaited: false }
    return { state: OVER, commands: [{ do: 'reject', verdict: 'store_down', available: 0n }, spool] }
  }
  if (event.event !== 'response' || event.verb !== 'hold') return stay({ phase: 'holding', hold })
  const { verdict, amount, tokens, budget, budgetsLeft } = event.result
  if (verdict !== 'done' && verdict !== 'repeated')
    return { state: OVER, commands: [{ do: 'reject', verdict, available: amount, ...(budget && { budget }) }] }
  if (!event.mayDispatch) {
    // Other nodes may be about to declare this node dead and release the hold.
    const ending = beginFinish(voided(hold, 'node_lost'), clock())
    return { ...ending, commands: [{ do: 'reject', verdict: 'node_lost', available: 0n }, ...ending.commands] }
  }
  const state: Settlement = {
    phase: 'open',
    owner: { id, nodeId, epoch },
    held: amount,
    progress: 0n,
    heldTokens: tokens,
    extending: undefined,
    final: false,
    retryAt: LONG_AGO,
    roomAt: LONG_AGO,
    blocked: undefined,
  }
  return { state, commands: [{ do: 'dispatch', granted: amount, tokens, ...(budgetsLeft && { budgetsLeft }) }] }
}

const voided = ({ id, nodeId, epoch }: Hold, outcome: string): Void => ({
  verb: 'void',
  id,
  nodeId,
  epoch,
  outcome,
  receipt: '',
})

function finishing(state: Finishing, event: Event, clock: Clock): Step {
  const { verb, tries, since } = state
  if (event.event === 'response' && event.verb === 'finish') {
    // Its hold was confirmed: the database has lost commits. Who replays the journal enters the request again.
    if (event.result.verdict === 'unknown_request' && isChargeable(verb))
      return { state: { ...state, phase: 'spooling' }, commands: [{ do: 'spool', verb, awaited: true }] }
    const charged = isDone(event.result) ? event.result.amount : 0n
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

type Chargeable = Settle & { account: bigint; key: bigint }
const isChargeable = (verb: Finish): verb is Chargeable =>
  verb.verb === 'settle' && verb.account !== undefined && verb.key !== undefined

/** What enters the request of a journaled settlement again that the database does not know; undefined: there is nobody to charge. */
export function restoring(verb: Finish, { verdict }: Result): Restore | undefined {
  if (verdict !== 'unknown_request' || !isChargeable(verb)) return undefined
  const { id, nodeId, epoch, account, key, model = '', upstream = '', budgets, attribution } = verb
  return { verb: 'restore', id, nodeId, epoch, account, key, model, upstream, budgets, attribution }
}

/**
 * Whether a journaled outcome can be dropped, given the store's `result`. The void of a hold without a response stays while
 * the hold is unknown and may still arrive. `ageMs` since it was journaled; Infinity for an entry of a former process.
 */
export function isApplied(verb: Finish, result: Result, ageMs: number): boolean {
  return !(verb.verb === 'void' && result.verdict === 'unknown_request' && ageMs < HOLD_MAY_ARRIVE_MS)
}
