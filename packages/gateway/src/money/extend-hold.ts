// An open request on its node: its hold is extended before output exceeds it, and output that it does not cover waits.
import { ceilDiv, type Nanos } from './amount.ts'
import {
  type Command,
  type Event,
  type Open,
  type Output,
  type Raise,
  type Step,
  send,
  stay,
  type Wanted,
} from './settlement-state.ts'
import { type Extend, isDone, type Result } from './verbs.ts'

/** Pause after an extension without a response, so that a store that does not respond is not sent one per token. */
const EXTEND_PAUSE_MS = 1_000
/** The window of limits per minute. */
const WINDOW_MS = 60_000
/** Blocked output retries at least this often: requests that end release tokens that they did not use. */
const MOST_PAUSE_MS = 2_000

export function stepOpen(state: Open, event: Event, now: number): Step {
  switch (event.event) {
    case 'output':
      return output(state, event, now)
    case 'raise':
      return raise(state, event, now)
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
  const due = extension(next, { cost, step, tokens, stepTokens }, now)
  if (due) return { state: due.state, commands: [...commands, ...due.commands] }
  return { state: next, commands: covered ? commands : [{ do: 'stop' }] }
}

function raise(state: Open, { amount, least }: Raise, now: number): Step {
  const blocked = { cost: least, tokens: 0, isHold: true } as const
  if (amount <= state.held) return resume({ ...state, blocked })
  if (now < state.retryAt) return notRaised(state)
  const money = { money: amount - state.held, leastMoney: largest(least - state.held, 1n) }
  return requestExtension({ ...state, blocked }, { ...money, tokens: 0, leastTokens: 0 }, 0)
}

/** The store did not say that no more money is available, so later output is not limited to what is held. */
function notRaised(state: Open): Step {
  return { state: { ...state, blocked: undefined }, commands: [{ do: 'stop' }] }
}

/** The extension that is due now, if any: what is missing, and the next step before it is missing. */
function extension(state: Open, want: Required<Omit<Output, 'event'>>, now: number): Step | undefined {
  const { cost, step, tokens, stepTokens } = want
  const missing = cost - state.held
  const spareTokens = state.heldTokens - tokens
  // A store that did not respond gets a pause, and money that it rejected is not requested again.
  if (now < state.retryAt || (state.final && missing > 0n)) return undefined
  // Output that exists and is not covered is requested even if none follows: one read may exceed the cap.
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

/** An extension always holds money. If only tokens are wanted, it is one nano-dollar for each. */
function requestExtension(state: Open, wanted: Wanted, pauseMs: number): Step {
  const { tokens } = wanted
  const amount = largest(wanted.money, BigInt(tokens))
  const forTokens = tokens === 0 ? 0n : ceilDiv(amount * BigInt(wanted.leastTokens), BigInt(tokens))
  const minimum = largest(wanted.leastMoney, forTokens)
  const verb: Extend = {
    verb: 'extend',
    ...state.owner,
    known: state.held,
    amount,
    minimum,
    tokens,
    progress: state.progress,
    // It is for a whole response, as a hold is, not one step of many.
    ...(state.blocked?.isHold && { whole: true }),
  }
  return { state: { ...state, extending: wanted }, commands: [send(verb, pauseMs)] }
}

function extended(state: Open, result: Result, now: number): Step {
  const { extending, blocked } = state
  const next: Open = { ...state, extending: undefined }
  const isGranted = isDone(result)
  // One upstream was too expensive, or a limit has no room now: the output of another upstream may still be covered.
  if (blocked?.isHold) return resume(isGranted ? { ...next, held: next.held + result.amount } : next)
  if (result.verdict === 'key_tokens' || result.verdict === 'account_tokens')
    return limited({ ...next, roomAt: now + Number(result.amount) }, extending, now)
  if (!isGranted) {
    // Output that is covered, or free, does not stop because the nano-dollars of its tokens are missing.
    const isPaid = blocked !== undefined && blocked.cost <= state.held
    return resume({ ...next, final: true, ...(isPaid ? { heldTokens: Number.POSITIVE_INFINITY } : {}) })
  }
  next.held += result.amount
  next.heldTokens += result.verdict === 'done' ? result.tokens : (extending?.tokens ?? 0)
  // Output that arrived meanwhile may need more than was requested; that is not a rejection.
  const more = blocked && extension(next, { ...blocked, step: 0n, stepTokens: 0 }, now)
  return more ?? resume(next)
}

/** A limit per minute does not end a stream: the extension is retried when there is room, in parts if it does not fit at once. */
function limited(state: Open, wanted: Wanted | undefined, now: number): Step {
  if (!state.blocked || !wanted) return resume(state)
  // So long a wait means that it never fits, or that the window is full: less may fit sooner.
  if (state.roomAt - now < WINDOW_MS || wanted.leastTokens <= 1)
    return requestExtension(state, wanted, pauseUntil(state.roomAt, now))
  const half = Math.ceil(wanted.leastTokens / 2)
  return requestExtension(state, { ...wanted, tokens: half, leastTokens: half }, 0)
}

const pauseUntil = (at: number, now: number): number => Math.min(MOST_PAUSE_MS, Math.max(0, at - now))

/** The extension is over, with or without a response: blocked output is delivered if covered, else the stream stops. */
function resume(state: Open): Step {
  const { blocked, held, heldTokens } = state
  if (blocked === undefined) return stay(state)
  const covered = blocked.cost <= held && blocked.tokens <= heldTokens
  const progress = covered && !blocked.isHold ? blocked.cost : state.progress
  return { state: { ...state, progress, blocked: undefined }, commands: [{ do: covered ? 'deliver' : 'stop' }] }
}

const largest = (one: Nanos, other: Nanos): Nanos => (one > other ? one : other)
