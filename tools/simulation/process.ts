// A simulated gateway process: the real settlement machine for each request, a lease, and a journal on its host's disk.
// Everything in here is memory and gone with a crash; `host.disk` and what the clients received are not.
import {
  type Finish,
  isDone,
  type Result,
  type Settle,
  STALE_AFTER_MS,
  type Verb,
  type Void,
} from '../../packages/gateway/src/money/ledger.ts'
import type { Command, Event, Settlement, Step } from '../../packages/gateway/src/money/settlement.ts'
import { type Client, must } from './model.ts'
import type { Random } from './random.ts'
import type { Rules } from './rules.ts'
import { createTaskWorker, type Task } from './tasks.ts'

const RENEW_EVERY_MS = 1_000
const CLEAN_EVERY_MS = 5_000
const ANSWER_WITHIN_MS = { hold: STALE_AFTER_MS, finish: 1_000, keeper: 2_000 }

export type Host = { name: number; disk: Finish[] }
export type Question = {
  from: Process
  verb: Verb
  sentAt: number
  arrivesAt: number
  /** On the process's own clock: after it, no answer is heard. */
  deadline: number
  hear: (result: Result | undefined) => void
}
export type Surroundings = {
  time(): number
  random: Random
  rules: Rules
  maxNodes: number
  tasks: Map<bigint, Task>
  /** The node id's former process is known to be dead when another starts (one process owns the store). */
  takeover: boolean
  send(question: Question): void
  note(text: () => string): void
  /** Called at the moment a request goes out to its upstream. */
  dispatched(client: Client, identity: Identity): void
  /** Called when output reaches its client. */
  delivered(client: Client): void
}
export type Identity = { nodeId: number; epoch: number }
type Running = { client: Client; state: Settlement; sent: number; offered: bigint | undefined }
type Journaled = { verb: Finish; at: number; reader: Running | undefined }

export type Process = {
  name: string
  host: Host
  frozenUntil: number
  identity(): Identity | undefined
  /** Nothing runs, nothing waits to be applied: everything this process began is over. */
  isIdle(): boolean
  /** The journal holds something, on disk or on its way there. */
  isSpooling(): boolean
  canServe(): boolean
  serve(client: Client): void
  // The three below give false when there was nothing to do.
  /** The upstream of some request goes on. */
  proceed(): boolean
  /** The next step of some task. */
  work(): boolean
  /** The disk's turn: what was appended becomes durable, or fails. */
  fsync(works: boolean): boolean
  /** Time passed: overdue questions count as unanswered, duties that are due begin. */
  tick(): boolean
  hear(question: Question, result: Result): void
  leave(): void
  crash(): void
}

export function startProcess(name: string, host: Host, around: Surroundings): Process {
  const { rules, random, note } = around
  const rate = 1 + (random.below(21) - 10) / 100
  const offset = random.below(1_000_000)
  const clock = () => around.time() * rate + offset
  let stage: 'replaying' | 'joining' | 'up' = 'replaying'
  let identity: Identity | undefined
  let renewedFrom = Number.NEGATIVE_INFINITY
  let renewals = 0
  let ended: bigint | undefined
  let renewAt = clock()
  let cleanAt = clock()
  let nodeId = host.name
  let busy = 0
  const asked = new Set<Question>()
  let later: { at: number; run: () => void }[] = []
  const running = new Set<Running>()
  let unsynced: Journaled[] = []
  const pending: Journaled[] = []

  function ask(verb: Verb, withinMs: number, hear: (result: Result | undefined) => void): void {
    const sentAt = around.time()
    const question: Question = { from: self, verb, sentAt, arrivesAt: sentAt, deadline: clock() + withinMs, hear }
    asked.add(question)
    around.send(question)
  }

  function feed(one: Running, event: Event): void {
    take(one, rules.step(one.state, event, clock))
  }

  function take(one: Running, { state, commands }: Step): void {
    one.state = state
    for (const command of commands) carryOut(one, command)
    if (one.state.phase === 'over') running.delete(one)
  }

  function carryOut(one: Running, command: Command): void {
    const { client } = one
    if (command.do !== 'send') note(() => `${name}: ${command.do} request ${client.id}`)
    switch (command.do) {
      case 'send': {
        const send = () => askFor(one, command.verb)
        if (command.pauseMs > 0) later.push({ at: clock() + command.pauseMs, run: send })
        else send()
        return
      }
      case 'dispatch':
        client.dispatched = true
        if (one.state.phase === 'open') around.dispatched(client, one.state.owner)
        return
      case 'deliver':
        client.delivered = one.offered ?? client.delivered
        one.offered = undefined
        one.sent += 1
        around.delivered(client)
        return
      case 'stop':
        one.offered = undefined
        decide(one, settle(one, client.delivered, 'length'))
        return
      case 'spool': {
        const entry = { verb: command.verb, at: clock(), reader: command.awaited ? one : undefined }
        pending.push(entry)
        unsynced.push(entry)
        return
      }
      case 'release':
        client.released = client.decided !== undefined
        return
      case 'reject':
      case 'withhold':
        return
    }
  }

  function askFor(one: Running, verb: Verb): void {
    const kind = verb.verb === 'hold' || verb.verb === 'extend' ? verb.verb : 'finish'
    ask(verb, kind === 'finish' ? ANSWER_WITHIN_MS.finish : ANSWER_WITHIN_MS.hold, (result) => {
      if (!result) feed(one, { event: 'no-response', verb: kind })
      else if (kind !== 'hold') {
        if (kind === 'finish' && isDone(result)) ended = one.client.id
        feed(one, { event: 'response', verb: kind, result })
      } else feed(one, { event: 'response', verb: kind, result, mayDispatch: rules.mayDispatch(renewedFrom, clock()) })
    })
  }

  function decide(one: Running, verb: Finish): void {
    one.client.decided = verb
    feed(one, { event: 'finish', verb })
  }

  function proceed(): boolean {
    const ready = [...running].filter(({ state, offered }) => state.phase === 'open' && offered === undefined)
    const one = random.pick(ready)
    if (!one) return false
    const { client } = one
    const more = client.outputs[one.sent]
    if (more !== undefined) {
      one.offered = client.delivered + more
      const step = BigInt(random.pick([0, 20, 40]) ?? 0)
      feed(one, { event: 'output', cost: one.offered, step, stepTokens: random.below(30) })
    } else if (client.total !== undefined) decide(one, settle(one, client.total, 'done'))
    else if (client.delivered > 0n && !client.forgiven) decide(one, settle(one, client.delivered, 'cut'))
    else decide(one, { verb: 'void', ...ownerOf(one), outcome: 'failed', receipt: '' } satisfies Void)
    return true
  }

  function serve(client: Client): void {
    if (!identity) return
    const { id, account, key, revision, extensible, amount, minimum, tokens, minimumTokens, budgets } = client
    const one: Running = { client, state: { phase: 'over' }, sent: 0, offered: undefined }
    running.add(one)
    const hold = {
      verb: 'hold' as const,
      id,
      ...identity,
      account,
      key,
      revision,
      extensible,
      amount,
      minimum,
      tokens,
      minimumTokens,
      budgets,
      model: 'm',
      upstream: 'u',
    }
    take(one, rules.begin(hold))
  }

  function fsync(works: boolean): boolean {
    const batch = unsynced
    unsynced = []
    if (works) host.disk.push(...batch.map((entry) => entry.verb))
    for (const { reader } of batch) if (reader) feed(reader, { event: works ? 'journaled' : 'journal-failed' })
    return batch.length > 0
  }

  function tick(): boolean {
    const overdue = [...asked].filter((question) => question.deadline <= clock())
    for (const question of overdue) {
      asked.delete(question)
      question.hear(undefined)
    }
    const due = later.filter(({ at }) => at <= clock())
    later = later.filter((one) => !due.includes(one))
    for (const { run } of due) run()
    const mustRenew = clock() >= renewAt && stage !== 'replaying'
    if (mustRenew) renew()
    const mustClean = clock() >= cleanAt && busy === 0
    if (mustClean) clean()
    return overdue.length + due.length > 0 || mustRenew || mustClean
  }

  function renew(): void {
    const sentAt = clock()
    renewAt = Number.POSITIVE_INFINITY
    const { verb, heard } = identity ? renewal(identity, sentAt) : joining(sentAt)
    ask(verb, ANSWER_WITHIN_MS.keeper, (result) => {
      renewAt = clock() + RENEW_EVERY_MS
      if (result) heard(result)
    })
  }

  const renewal = (mine: Identity, sentAt: number) => ({
    verb: { verb: 'renew', ...mine, config: '', witness: { renewals, ended } } as const,
    heard(result: Result) {
      must(result.verdict !== 'commits_lost', 'a store that has lost nothing is not said to have')
      if (result.verdict === 'done') {
        renewedFrom = rules.leaseFrom(sentAt, clock())
        renewals = Number(result.amount)
      } else lost()
    },
  })

  const joining = (sentAt: number) => ({
    verb: { verb: 'join', nodeId, config: '', takeover: around.takeover } as const,
    heard(result: Result) {
      if (result.verdict !== 'done') {
        nodeId = (nodeId + 1) % around.maxNodes
        renewAt = clock()
        return
      }
      identity = { nodeId, epoch: Number(result.amount) }
      renewals = 0
      renewedFrom = sentAt
      stage = 'up'
      cleanAt = clock()
    },
  })

  function lost(): void {
    identity = undefined
    stage = 'joining'
    renewedFrom = Number.NEGATIVE_INFINITY
    renewAt = clock()
  }

  /** First what journals hold, then the reaper; before the first of it is done, a starting process does nothing else. */
  function clean(): void {
    cleanAt = clock() + CLEAN_EVERY_MS
    const mine = new Set(pending.map((entry) => entry.verb))
    const left = rules.replayed(host.disk.filter((verb) => !mine.has(verb)))
    let open = left.length + pending.length
    busy += open
    let silent = false
    const applied = (entry: Finish, ageMs: number, forget: () => void) =>
      ask(entry, ANSWER_WITHIN_MS.keeper, (result) => {
        if (result && rules.isApplied(entry, result, ageMs)) forget()
        silent ||= result === undefined
        open -= 1
        busy -= 1
        if (open === 0 && !silent) cleaned()
      })
    const erase = (verb: Finish) => {
      host.disk = host.disk.filter((one) => one !== verb)
    }
    for (const verb of left) applied(verb, Number.POSITIVE_INFINITY, () => erase(verb))
    for (const entry of [...pending])
      applied(entry.verb, clock() - entry.at, () => {
        pending.splice(pending.indexOf(entry), 1)
        erase(entry.verb)
      })
    if (left.length + pending.length === 0) cleaned()
  }

  function cleaned(): void {
    if (stage === 'replaying') {
      stage = 'joining'
      renewAt = clock()
    } else reap()
  }

  function reap(): void {
    busy += 1
    ask({ verb: 'reap', limit: 2 }, ANSWER_WITHIN_MS.keeper, (result) => {
      busy -= 1
      if (result && result.amount > 0n) reap()
    })
  }

  const work = createTaskWorker(name, { ...around, ask })

  const self: Process = {
    name,
    host,
    frozenUntil: 0,
    serve,
    proceed,
    work,
    fsync,
    tick,
    identity: () => identity,
    isIdle: () => stage === 'up' && running.size === 0 && pending.length === 0 && unsynced.length === 0,
    isSpooling: () => pending.length > 0,
    canServe: () => stage === 'up' && rules.mayDispatch(renewedFrom, clock()),
    hear(question, result) {
      if (asked.delete(question)) question.hear(result)
    },
    leave() {
      must(running.size === 0, 'a process leaves after its last request')
      if (identity) ask({ verb: 'leave', ...identity }, ANSWER_WITHIN_MS.keeper, () => {})
    },
    crash() {
      // The operating system may have written some of what was not synced yet.
      host.disk.push(...unsynced.slice(0, random.below(unsynced.length + 1)).map((entry) => entry.verb))
    },
  }
  return self
}

function ownerOf(one: Running): { id: bigint; nodeId: number; epoch: number } {
  must(one.state.phase === 'open', 'only an open request is decided')
  return one.state.owner
}

const settle = (one: Running, cost: bigint, outcome: string): Settle => ({
  verb: 'settle',
  ...ownerOf(one),
  cost,
  tokens: one.client.usedTokens,
  outcome,
  receipt: '',
})
