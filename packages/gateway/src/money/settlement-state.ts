// The states of a request on its node, the events that change them, and the commands that result (settlement.ts).
import type { Nanos } from './amount.ts'
import type { Finish, Hold, Owned, RequestVerb, Result, VerbRejection } from './verbs.ts'

export type Settlement =
  | { phase: 'holding'; hold: Hold }
  | {
      phase: 'open'
      owner: Owned
      /** What is known to be held, and the cost of the output delivered so far. */
      held: Nanos
      progress: Nanos
      /** Tokens granted by limits per minute. */
      heldTokens: number
      /** The extension that was sent, or that is about to be. */
      extending: Wanted | undefined
      /** Set once the store rejected an extension: the stream ends where the hold ends. */
      final: boolean
      /** No extension is sent before this time. */
      retryAt: number
      /** When a limit per minute has room again. Until then tokens are requested only for blocked output. */
      roomAt: number
      /** Output that needs an extension first: the cost and the tokens of all output, including this. */
      blocked: { cost: Nanos; tokens: number; isHold?: true | undefined } | undefined
    }
  | { phase: 'finishing' | 'spooling'; verb: Finish; tries: number; since: number }
  | { phase: 'over' }

/** What an extension is for: money, tokens of limits per minute, and the least of each. */
export type Wanted = { money: Nanos; leastMoney: Nanos; tokens: number; leastTokens: number }

export type Open = Extract<Settlement, { phase: 'open' }>
export type Finishing = Extract<Settlement, { phase: 'finishing' | 'spooling' }>

export type Event =
  | { event: 'response'; verb: 'hold'; result: Result; mayDispatch: boolean }
  | { event: 'response'; verb: 'extend' | 'finish'; result: Result }
  | { event: 'no-response'; verb: 'hold' | 'extend' | 'finish' }
  | Output
  | Raise
  | { event: 'finish'; verb: Finish }
  | { event: 'journaled' }
  | { event: 'journal-failed' }

/**
 * Output is ready that brings the cost of the request to `cost`; `step` more should be held for what follows (0: nothing
 * follows). `tokens` and `stepTokens`: the same for callers with a limit on tokens.
 */
export type Output = { event: 'output'; cost: Nanos; step: Nanos; tokens?: number; stepTokens?: number }

/**
 * Before any output: the next upstream is more expensive. `amount` should be held for it, at least `least`. None of it is
 * progress, which a reaper would charge.
 */
export type Raise = { event: 'raise'; amount: Nanos; least: Nanos }

export type Command =
  | { do: 'send'; verb: RequestVerb; pauseMs: number }
  | ({ do: 'dispatch'; granted: Nanos; tokens: number } & Pick<Result, 'budgetsLeft'>)
  /** `available` as in the ledger's result: money, or for limits the milliseconds until there is room. */
  | ({ do: 'reject'; verdict: VerbRejection | 'store_down'; available: Nanos } & Pick<Result, 'budget'>)
  | { do: 'deliver' }
  /** The hold does not cover the blocked output and will not grow: end the stream as `length`. */
  | { do: 'stop' }
  /** Append to the journal; only an `awaited` append reports back. */
  | { do: 'spool'; verb: Finish; awaited: boolean }
  | { do: 'release'; charged: Nanos; spooled: boolean }
  /** Neither the store nor the journal has the outcome: the last byte must not be sent. */
  | { do: 'withhold' }

export type Step = { state: Settlement; commands: Command[] }

export const stay = (state: Settlement): Step => ({ state, commands: [] })
export const send = (verb: RequestVerb, pauseMs = 0): Command => ({ do: 'send', verb, pauseMs })
