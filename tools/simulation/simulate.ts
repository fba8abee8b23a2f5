// The ledger and the nodes around it, run in simulation: random requests on a few nodes, and between any two steps a
// crash, a freeze, a lost question or answer, a store that restarts. After every commit the books are checked, and when
// all is quiet every client's bill. A seed decides everything: the same seed fails in the same way everywhere.
import {
  DEAD_AFTER_MS,
  HELD,
  type KeyRow,
  STALE_AFTER_MS,
  TASK_NODE,
  taskLease,
} from '../../packages/gateway/src/money/ledger.ts'
import { NO_LIMITS } from '../../packages/gateway/src/money/limits.ts'
import { changeBudget, chooseBudgets, makeBudgets } from './budgets.ts'
import { newClient, newTask } from './clients.ts'
import { FAULTS, type Fault } from './faults.ts'
import { NOTHING_HAPPENED } from './happened.ts'
import { type MemoryRows, newAccountRow, newKeyRow, setAccountTerms, setKeyTerms } from './memory-book.ts'
import { checkEnd, isAlive, type Model, must, Violation } from './model.ts'
import { type Host, type Process, type Question, type Surroundings, startProcess } from './process.ts'
import { type Random, seeded } from './random.ts'
import { RULES, type Rules } from './rules.ts'
import { createStore, creditAccount, OLD_TASK_MS } from './store.ts'
import { collectAll, takeOverReaped } from './take-over.ts'
import { noteLimits, randomCap, randomLimits, randomLine } from './usage.ts'

export type Run = { seed: number; steps?: number; without?: Fault[]; rules?: Rules; trace?: (line: string) => void }
export type Failure = { seed: number; steps: number; without: Fault[]; rule: string }

export const STEPS = 500
/** STALE_AFTER_MS on a clock that runs up to a tenth too slow: what the store sees of a node that keeps to it. */
const LEASE_LEFT_MS = STALE_AFTER_MS / 0.9
/** An ordinary evening, and the last minutes of a day, of a week, of a leap February and of a year that ends on a Sunday. */
const STARTS = [
  1_700_000_000_000,
  Date.UTC(2024, 4, 15, 23, 59, 30),
  Date.UTC(2024, 5, 9, 23, 59, 30),
  Date.UTC(2024, 1, 29, 23, 59, 30),
  Date.UTC(2023, 11, 31, 23, 59, 30),
] as const

/** undefined: all rules held. */
export function simulate(run: Run): Failure | undefined {
  const { seed, steps = STEPS, without = [], rules = RULES, trace } = run
  let done = 0
  try {
    const forBudgets = seed % 4 === 2 ? seeded(-seed) : undefined
    const world = createWorld(seeded(seed), forBudgets, new Set(without), rules, trace)
    for (; done < steps; done += 1) world.step()
    world.quiet()
    return undefined
  } catch (error) {
    if (!(error instanceof Violation)) throw error
    return { seed, steps: Math.min(done + 1, steps), without, rule: error.message }
  }
}

/** The same failure, or another, with fewer kinds of fault and in fewer steps. */
export function shrink(failure: Failure, rules: Rules = RULES): Failure {
  let least = failure
  for (const fault of FAULTS) {
    const again = simulate({ ...least, without: [...least.without, fault], rules })
    if (again) least = again
  }
  for (let steps = 1; steps < least.steps; steps += 1) {
    const again = simulate({ ...least, steps, rules })
    if (again) return again
  }
  return least
}

/** `forBudgets`: a quarter of the worlds have budgets. The others take the course that they took before there were any. */
function createWorld(
  random: Random,
  forBudgets: Random | undefined,
  without: Set<Fault>,
  rules: Rules,
  trace?: (line: string) => void,
) {
  const model: Model = {
    clients: new Map(),
    repetitions: new Map(),
    tasks: new Map(),
    caps: new Map(),
    lines: new Map(),
    limits: new Map(),
    revisions: new Map(),
    budgets: new Map(),
    deleted: new Set(),
    disabled: new Set(),
    committed: {
      settlements: new Map(),
      progress: new Map(),
      effective: new Set(),
      leases: new Map(),
      happened: NOTHING_HAPPENED,
    },
  }
  const store = createStore(rules, model)
  const START = random.pick(STARTS) ?? STARTS[0]
  let time = 0
  let ids = 0n
  let names = 0
  let questions: Question[] = []
  let answers: { question: Question; result: Parameters<Question['hear']>[0] & object }[] = []
  // One process that owns the store, or several nodes that share it.
  const alone = random.chance(0.2)
  const hosts: Host[] = Array.from({ length: alone ? 1 : random.between(2, 3) }, (_, name) => ({ name, disk: [] }))
  let processes: Process[] = []
  // Each seed has its own weather: some kinds of fault often, some never.
  const weather = new Map(FAULTS.map((fault) => [fault, random.pick([0, 0.2, 1]) ?? 0]))
  const strikes = (fault: Fault, probability: number) =>
    random.chance(probability * (weather.get(fault) ?? 0)) && !without.has(fault)
  const haste = random.pick([10, 50, 150]) ?? 50

  const note = (text: () => string) => trace?.(`${(time / 1_000).toFixed(3)} ${text()}`)
  const around: Surroundings = {
    time: () => time,
    random,
    rules,
    maxNodes: alone ? 1 : 8,
    takeover: alone,
    tasks: model.tasks,
    note,
    send(question) {
      if (strikes('slow', question.verb.verb === 'hold' ? 0.2 : 0.1))
        question.arrivesAt = time + random.between(500, 15_000)
      questions.push(question)
    },
    dispatched(client, { nodeId, epoch }) {
      const named = () => `request ${client.id}`
      must(
        isAlive(store.rows, { nodeId, epoch }, START + time, LEASE_LEFT_MS),
        'only a node with a fresh lease dispatches',
        named,
      )
      must(store.rows.requests.get(client.id)?.state === HELD, 'dispatched under an open hold', named)
    },
    delivered({ id, delivered }) {
      const row = store.rows.requests.get(id)
      const covered = row !== undefined && (row.state !== HELD || delivered <= row.held)
      must(covered, 'output is delivered within what is held', () => `request ${id}`)
    },
  }
  store.change((rows) => {
    for (const id of [1n, 2n]) {
      const money = {
        ...randomCap(random, model, id, random.chance(0.2) ? BigInt(random.between(50, 900)) : undefined),
        ...randomLine(random, model, id),
      }
      rows.accounts.set(id, { ...newAccountRow(id), ...money, limits: randomLimits(random) })
      model.limits.set(id, rows.accounts.get(id)?.limits ?? NO_LIMITS)
      creditAccount(rows, id, BigInt(random.pick([40, 200, 1_500]) ?? 0))
    }
    for (const id of [11n, 12n, 13n]) {
      const account = id === 13n ? 2n : 1n
      const key = { ...newKeyRow(id, account), limits: randomLimits(random) }
      rows.keys.set(id, key)
      model.limits.set(id, key.limits)
      model.revisions.set(id, 0)
      Object.assign(key, randomCap(random, model, id, random.chance(0.3) ? BigInt(random.between(50, 500)) : undefined))
    }
  })
  if (forBudgets) store.change((rows) => makeBudgets(rows, model, forBudgets))
  for (const host of hosts) start(host)
  if (random.chance(0.7)) settleDown(() => processes.every((process) => process.isIdle()))

  function setTerms(rows: MemoryRows, key: KeyRow, cap: bigint | undefined): void {
    const limits = random.chance(0.5) ? key.limits : randomLimits(random)
    noteLimits(model, rows, key.id, limits)
    setKeyTerms(rows, key.id, { ...randomCap(random, model, key.id, cap), limits }, START + time)
    model.revisions.set(key.id, key.revision)
  }

  function setAccount(rows: MemoryRows, account: bigint, cap: bigint | undefined): void {
    const limits = randomLimits(random)
    noteLimits(model, rows, account, limits)
    const money = {
      ...(random.chance(0.5) && randomCap(random, model, account, cap)),
      ...(random.chance(0.5) && randomLine(random, model, account)),
    }
    setAccountTerms(rows, account, { ...money, limits }, START + time)
    for (const { id, account: owner, revision } of rows.keys.values())
      if (owner === account) model.revisions.set(id, revision)
  }

  function start(host: Host): void {
    names += 1
    processes.push(startProcess(`node ${host.name}/${names}`, host, around))
  }

  function crash(process: Process): void {
    note(() => `${process.name}: crash`)
    process.crash()
    processes = processes.filter((one) => one !== process)
    // An embedded store is part of the process: what it had not taken yet is gone. A network may still deliver it.
    if (alone) questions = []
  }

  const awake = () => processes.filter((process) => process.frozenUntil <= time)

  /** The store takes some of the waiting questions into one commit: an embedded one in order, over a network in any. */
  function commit(): boolean {
    if (!store.up) return false
    const there = alone ? [...questions] : questions.filter(({ arrivesAt }) => arrivesAt <= time)
    const next = () => (alone ? there.shift() : random.take(there))
    const batch = Array.from({ length: random.between(1, 4) }, next).filter((one) => one !== undefined)
    if (batch.length === 0) return false
    questions = questions.filter((question) => !batch.includes(question))
    const results = store.transact(
      batch.map(({ verb }) => verb),
      START + time,
      strikes('rollback', 0.1),
    )
    for (const [index, question] of batch.entries()) {
      const result = results?.[index]
      note(() => `store: ${question.verb.verb} ${'id' in question.verb ? question.verb.id : ''} ${result?.verdict}`)
      if (result && !strikes('lost', 0.1)) answers.push({ question, result })
      // Not a rejected hold: it left no row behind that could reject the second, and no transport sends it again.
      const rejected = question.verb.verb === 'hold' && result?.verdict !== 'done' && result?.verdict !== 'repeated'
      if (!alone && !rejected && strikes('twice', 0.1)) questions.push(question)
    }
    return true
  }

  function listen(): boolean {
    const ready = answers.filter(({ question }) => awake().includes(question.from))
    const one = random.pick(ready)
    if (!one) return false
    answers = answers.filter((other) => other !== one)
    one.question.from.hear(one.question, one.result)
    return true
  }

  /** A settlement by a wrong owner: it must have no effect. */
  function settleForeign(): void {
    const victim = random.pick([...store.rows.requests.values()])
    if (!victim) return
    const { id, nodeId, epoch } = victim
    // A former or future holder of a task's lease, another epoch of a node, another node.
    const wrong = nodeId === TASK_NODE ? random.pick([-1, 1]) : undefined
    const current = store.rows.leases.get(taskLease(id))?.epoch ?? 0
    const other = random.chance(0.5) ? { nodeId, epoch: epoch + 1 } : { nodeId: nodeId + 1, epoch }
    const owner = wrong === undefined ? other : { nodeId, epoch: current + wrong }
    store.transact(
      [{ verb: 'settle', id, ...owner, cost: 7n, tokens: 0, outcome: '', receipt: '' }],
      START + time,
      false,
    )
  }

  function admin(): void {
    const key = random.pick([11n, 12n, 13n]) ?? 11n
    const account = random.pick([1n, 2n]) ?? 1n
    const amount = BigInt(random.between(-200, 400))
    const cap = random.chance(0.5) ? undefined : BigInt(random.between(0, 600))
    const what = random.below(20)
    note(() => `admin: act ${what} on account ${account} or key ${key}`)
    store.change((rows) => {
      const keyRow = rows.keys.get(key)
      const accountRow = rows.accounts.get(account)
      if (!keyRow || !accountRow) return
      if (what === 0) {
        keyRow.deleted = true
        model.deleted.add(key)
      } else if (what < 4) {
        accountRow.disabled = what === 1
        if (accountRow.disabled) model.disabled.add(account)
        else model.disabled.delete(account)
      } else if (what < 8) setTerms(rows, keyRow, cap)
      else if (what < 12) setAccount(rows, account, cap)
      else creditAccount(rows, account, amount)
    })
  }

  function misfortune(): void {
    const victim = random.pick(processes)
    // More often where it hurts: while the journal is all there is of some request's end.
    if (victim && strikes('crash', victim.isSpooling() ? 0.15 : 0.01)) crash(victim)
    const idle = hosts.find((host) => !processes.some((process) => process.host === host))
    if (idle && random.chance(0.05)) start(idle)
    const frozen = random.pick(awake())
    if (frozen && strikes('freeze', 0.01)) {
      frozen.frozenUntil = time + random.between(1_000, 20_000)
      note(() => `${frozen.name}: frozen`)
      const lonely = processes.filter(({ host }) => host === frozen.host).length === 1
      if (!alone && lonely && strikes('replace', 0.3)) start(frozen.host)
    }
    if (store.up && strikes('outage', 0.02)) {
      store.downUntil = time + random.between(500, 15_000)
      note(() => 'store: down')
    }
    store.up = store.downUntil <= time
    if (strikes('lost', 0.01)) random.take(questions)
    // The store's own timeouts: no message stays in the network forever.
    questions = questions.filter((question) => question.sentAt > time - 20_000)
    if (store.up) store.removeLeases(START + time)
    takeOverReaped(store, model, START + time)
    // Nothing happens for a while, and minutes end.
    if (strikes('pause', 0.01)) time += random.between(5_000, 70_000)
    if (store.up && strikes('admin', 0.02)) admin()
    if (store.up && forBudgets?.chance(0.02)) store.change((rows) => changeBudget(rows, model, forBudgets))
    if (store.up && strikes('foreign-settle', 0.01)) settleForeign()
  }

  function step(): void {
    misfortune()
    time += random.below(haste)
    // Most choices have nothing to do at the moment: another is tried then, and at last time passes.
    for (let attempt = 0; attempt < 5; attempt += 1) if (act(random.below(100))) return
    time += random.between(1, 1_000)
  }

  /** False: there was nothing to do. */
  function act(choice: number): boolean {
    const process = random.pick(awake())
    if (choice < 25) return commit()
    if (choice < 50) return listen()
    if (!process) return false
    if (choice < 65) return process.tick()
    if (choice < 75) return process.proceed()
    if (choice < 82) return process.work()
    if (choice < 88) return process.fsync(!strikes('disk', 0.6))
    if (choice >= 97 && model.tasks.size < 6) {
      ids += 1n
      const plain = newTask(ids, random, model, { start: START, time })
      model.tasks.set(ids, { ...plain, ...(forBudgets && chooseBudgets(model, plain.account, forBudgets)) })
      return true
    }
    if (!process.canServe() || model.clients.size >= 25) return false
    ids += 1n
    const plain = newClient(ids, random, model)
    const client = { ...plain, ...(forBudgets && chooseBudgets(model, plain.account, forBudgets)) }
    model.clients.set(client.id, client)
    note(() => `${process.name}: request ${client.id}`)
    process.serve(client)
    return true
  }

  /** Everything that can happen without a further fault, until nothing is left to happen. */
  function settleDown(isOver: () => boolean): void {
    for (let round = 0; !isOver(); round += 1) {
      must(round < 400, 'everything comes to an end')
      for (const process of processes) process.tick()
      for (let turn = 0; turn < 3; turn += 1) {
        while (questions.length > 0) calmCommit()
        for (const { question, result } of answers.splice(0))
          if (processes.includes(question.from)) question.from.hear(question, result)
        for (const process of processes) process.proceed()
        for (const process of processes) process.work()
        for (const process of processes) process.fsync(true)
      }
      time += 400
    }
  }

  function calmCommit(): void {
    const batch = questions
    questions = []
    const results =
      store.transact(
        batch.map(({ verb }) => verb),
        START + time,
        false,
      ) ?? []
    answers.push(...batch.flatMap((question, index) => (results[index] ? [{ question, result: results[index] }] : [])))
  }

  function quiet(): void {
    store.up = true
    for (const process of [...processes]) {
      process.frozenUntil = 0
      if (random.chance(0.3) && !without.has('crash')) crash(process)
    }
    note(() => 'quiet')
    const finishesTasks = random.chance(0.7)
    const areTasksOver = () =>
      !finishesTasks || processes.length === 0 || [...model.tasks.values()].every(({ over }) => over)
    settleDown(() => processes.every((process) => process.isIdle()) && questions.length === 0 && areTasksOver())
    for (const { nodeId, epoch, id, state } of store.rows.requests.values()) {
      const owner = processes.some(({ identity }) => identity()?.nodeId === nodeId && identity()?.epoch === epoch)
      must(!owner || state !== HELD, 'a live node that is done holds nothing', () => `request ${id}`)
    }
    for (const process of processes) if (random.chance(0.5)) process.leave()
    while (questions.length > 0) calmCommit()
    processes = []
    answers = []
    time += DEAD_AFTER_MS + 1
    for (const { deadline } of model.tasks.values()) time = Math.max(time, deadline - START)
    for (const host of hosts) start(host)
    const late = time + 6_000
    settleDown(() => time > late && processes.every((process) => process.isIdle()) && questions.length === 0)
    checkEnd(collectAll(store, model, START + time), model)
    store.removeLeases(START + time + OLD_TASK_MS)
    must(store.rows.leases.size === 0, 'no lease is left of tasks that have ended')
  }

  return { step, quiet }
}
