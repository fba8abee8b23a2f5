// A request that runs, as the settlement machine has it: what it is told, and what it asks for.
import type { Extend, Hold, Result } from '../src/money/ledger.ts'
import { begin, type Command, type Event, type Output, type Settlement, step } from '../src/money/settlement.ts'

const HOLD: Hold = {
  verb: 'hold',
  id: 1n,
  nodeId: 0,
  epoch: 1,
  account: 1n,
  key: 1n,
  revision: 1,
  extensible: true,
  amount: 100n,
  minimum: 1n,
  tokens: 100,
  minimumTokens: 10,
  model: 'm',
  upstream: 'u',
}

export type Granted = { held: bigint; tokens: number }

/** An open request, at the time 0. */
export function openRequest({ held, tokens }: Granted) {
  let state: Settlement = begin(HOLD).state
  let commands: Command[] = []
  const feed = (event: Event, now: number) => {
    const next = step(state, event, () => now)
    state = next.state
    commands = next.commands
  }
  const granted: Result = { verdict: 'done', amount: held, tokens, change: 0n }
  feed({ event: 'response', verb: 'hold', result: granted, mayDispatch: true }, 0)
  return {
    output: (output: Omit<Output, 'event'>, now: number) => feed({ event: 'output', ...output }, now),
    raise: (amount: bigint, least: bigint, now = 0) => feed({ event: 'raise', amount, least }, now),
    answer: (result: Result, now: number) => feed({ event: 'response', verb: 'extend', result }, now),
    silence: (now: number) => feed({ event: 'no-response', verb: 'extend' }, now),
    hear: (event: Event) => feed(event, 0),
    does: () => commands.map((command) => command.do),
    /** The one question that is asked now. */
    asked(): { extend: Extend; pauseMs: number } {
      const command = commands.find((each) => each.do === 'send')
      if (command?.do !== 'send' || command.verb.verb !== 'extend') throw new Error('nothing is asked')
      return { extend: command.verb, pauseMs: command.pauseMs }
    },
  }
}
