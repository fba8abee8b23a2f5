// The two requests of a world: the real settlement machine of each, what it sends, and what its client receives.
import { type Finish, type Hold, type Result, STALE_AFTER_MS } from '../../../packages/gateway/src/money/ledger.ts'
import type { Command, Event, Step } from '../../../packages/gateway/src/money/settlement.ts'
import { isAlive, must } from '../model.ts'
import type { Rules } from '../rules.ts'
import { commit } from './commit.ts'
import { ACCOUNT, ID, type Journaled, KEY, NODE, newRun, type Run, type Who, type World } from './world.ts'

/** What the pieces of output bring the cost to: the second exceeds the hold, and the whole response costs more than both. */
const OUTPUTS = [25n, 60n]
const HOLD = { amount: 40n, minimum: 40n }
const WHOLE_COST = 70n
const STEP = 20n

export function start(world: World, rules: Rules, who: Who, epoch: number): void {
  const terms = { ...HOLD, account: ACCOUNT, key: KEY, revision: 0, extensible: false, tokens: 0, minimumTokens: 0 }
  const owner = { id: ID[who], nodeId: NODE[who], epoch }
  const hold: Hold = { verb: 'hold', ...owner, ...terms, model: 'm', upstream: 'u' }
  const run = newRun({ phase: 'over' })
  world.runs[who] = run
  take(world, rules, who, rules.begin(hold))
}

export const canEnd = ({ state, offered }: Run): boolean => state.phase === 'open' && offered === undefined

const nextOutput = ({ delivered }: Run): bigint | undefined => OUTPUTS.find((cost) => cost > delivered)
export const hasOutput = (run: Run): boolean => nextOutput(run) !== undefined

export function offer(world: World, rules: Rules, who: Who): void {
  const run = world.runs[who]
  const cost = run && nextOutput(run)
  if (!run || cost === undefined) return
  run.offered = cost
  feed(world, rules, who, { event: 'output', cost, step: STEP })
}

/** A response that breaks off is charged as far as it was delivered, or not at all. */
export function end(world: World, rules: Rules, who: Who, how: 'whole' | 'cut' | 'void'): void {
  const delivered = world.runs[who]?.delivered ?? 0n
  decide(world, rules, who, { whole: WHOLE_COST, cut: delivered, void: undefined }[how])
}

function decide(world: World, rules: Rules, who: Who, cost: bigint | undefined): void {
  const run = world.runs[who]
  if (run?.state.phase !== 'open') return
  const end = { ...run.state.owner, outcome: 'done', receipt: '' }
  const payer = { account: ACCOUNT, key: KEY }
  const verb: Finish =
    cost === undefined ? { verb: 'void', ...end } : { verb: 'settle', ...end, ...payer, cost, tokens: 0 }
  run.decided = verb
  feed(world, rules, who, { event: 'finish', verb })
}

function feed(world: World, rules: Rules, who: Who, event: Event): void {
  const run = world.runs[who]
  if (run)
    take(
      world,
      rules,
      who,
      rules.step(run.state, event, () => world.now),
    )
}

function take(world: World, rules: Rules, who: Who, { state, commands }: Step): void {
  const run = world.runs[who]
  if (!run) return
  run.state = state
  for (const command of commands) carryOut(world, rules, who, run, command)
}

function carryOut(world: World, rules: Rules, who: Who, run: Run, command: Command): void {
  switch (command.do) {
    case 'send':
      world.flying.push({ verb: command.verb, to: who })
      return
    case 'dispatch':
      run.dispatched = true
      if (run.state.phase === 'open')
        must(
          isAlive(world.rows, run.state.owner, world.now, STALE_AFTER_MS),
          'only a node with a lease dispatches',
          () => who,
        )
      return
    case 'deliver':
      run.delivered = run.offered ?? run.delivered
      run.offered = undefined
      return
    case 'stop':
      run.offered = undefined
      decide(world, rules, who, run.delivered)
      return
    case 'spool':
      world.nodes[NODE[who]].journal.push({
        verb: command.verb,
        at: world.now,
        from: command.awaited ? who : undefined,
        state: 'appended',
      })
      return
    case 'release':
      run.released = run.decided !== undefined
      return
    case 'reject':
    case 'withhold':
      return
  }
}

/** The message arrives, and its sender hears the answer if it still waits for it. */
export function deliver(world: World, rules: Rules, index: number): void {
  const [message] = world.flying.splice(index, 1)
  if (!message) return
  const result = commit(world, rules, message.verb)
  if (!message.to) return
  const kind = kindOf(message.verb.verb)
  feed(world, rules, message.to, answer(world, rules, message.to, kind, result))
}

function answer(world: World, rules: Rules, who: Who, kind: Kind, result: Result): Event {
  if (kind !== 'hold') return { event: 'response', verb: kind, result }
  const mayDispatch = rules.mayDispatch(world.nodes[NODE[who]].renewedFrom, world.now)
  return { event: 'response', verb: kind, result, mayDispatch }
}

/** Its sender gives up; it may still arrive. */
export function silence(world: World, rules: Rules, index: number): void {
  const message = world.flying[index]
  if (!message?.to) return
  world.flying[index] = { ...message, to: undefined }
  feed(world, rules, message.to, { event: 'no-response', verb: kindOf(message.verb.verb) })
}

type Kind = 'hold' | 'extend' | 'finish'
const kindOf = (verb: string): Kind => (verb === 'hold' || verb === 'extend' ? verb : 'finish')

export const isUnwritten = ({ state }: Journaled): boolean => state === 'appended'

export function fsync(world: World, rules: Rules, nodeId: 0 | 1, works: boolean): void {
  const { journal } = world.nodes[nodeId]
  const state = works ? 'written' : 'failed'
  world.nodes[nodeId].journal = journal.map((entry) =>
    isUnwritten(entry) ? { ...entry, state, from: undefined } : entry,
  )
  for (const { from } of journal) if (from) feed(world, rules, from, { event: works ? 'journaled' : 'journal-failed' })
}
