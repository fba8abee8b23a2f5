// The ledger and the nodes around it, run in simulation: random requests on a few nodes, and between any two steps a
// crash, a freeze, a lost question or answer, a store that restarts. After every commit the books are checked, and when
// all is quiet every client's bill. A seed decides everything: the same seed fails in the same way everywhere.
import { DEAD_AFTER_MS, HELD } from './ledger.ts'
import { type Client, checkEnd, type Model, must, Violation } from './simulation/model.ts'
import { type Host, type Process, type Question, type Surroundings, startProcess } from './simulation/process.ts'
import { type Random, seeded } from './simulation/random.ts'
import { RULES, type Rules } from './simulation/rules.ts'
import { createStore, creditAccount } from './simulation/store.ts'

export const FAULTS = ['crash', 'freeze', 'replace', 'outage', 'rollback', 'lost', 'twice', 'disk', 'admin'] as const
export type Fault = (typeof FAULTS)[number]

export type Run = { seed: number; steps?: number; without?: Fault[]; rules?: Rules; trace?: (line: string) => void }
export type Failure = { seed: number; steps: number; without: Fault[]; rule: string }

export const STEPS = 300
const START = 1_700_000_000_000

/** undefined: all rules held. */
export function simulate(run: Run): Failure | undefined {
  const { seed, steps = STEPS, without = [], rules = RULES, trace } = run
  let done = 0
  try {
    const world = createWorld(seeded(seed), new Set(without), rules, trace)
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

function createWorld(random: Random, without: Set<Fault>, rules: Rules, trace?: (line: string) => void) {
  const model: Model = { clients: new Map(), revoked: new Set(), disabled: new Set(), settlements: new Map() }
  const store = createStore(rules, model)
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
  const weather = new Map(FAULTS.map((fault) => [fault, random.pick([0, 0.3, 1, 3]) ?? 0]))
  const strikes = (fault: Fault, probability: number) =>
    random.chance(probability * (weather.get(fault) ?? 0)) && !without.has(fault)
  const haste = random.pick([20, 200, 1_000]) ?? 200

  const note = (text: () => string) => trace?.(`${(time / 1_000).toFixed(3)} ${text()}`)
  const around: Surroundings = {
    ...{ time: () => time, random, rules, slots: alone ? 1 : 8, takeover: alone, note },
    send: (question) => questions.push(question),
    dispatched(client, { slot, epoch }) {
      const node = store.rows.nodes.get(slot)
      const alive = node?.epoch === epoch && node.renewedAt > START + time - DEAD_AFTER_MS
      must(alive, 'only a node with a lease dispatches', () => `request ${client.id}`)
      must(
        store.rows.requests.get(client.id)?.state === HELD,
        'dispatched under an open hold',
        () => `request ${client.id}`,
      )
    },
  }
  store.change((rows) => {
    for (const id of [1n, 2n]) {
      rows.accounts.set(id, { id, balance: 0n, held: 0n, disabled: false })
      creditAccount(rows, id, BigInt(random.between(100, 1_500)))
    }
    for (const id of [11n, 12n, 13n])
      rows.keys.set(id, {
        ...{ id, account: id === 13n ? 2n : 1n, revoked: false, expiresAt: undefined, spent: 0n, held: 0n },
        cap: random.chance(0.3) ? BigInt(random.between(50, 500)) : undefined,
      })
  })
  for (const host of hosts) start(host)

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

  function newClient(): Client {
    ids += 1n
    const key = random.pick([11n, 12n, 13n]) ?? 11n
    const streamed = random.chance(0.7)
    const outputs = Array.from({ length: streamed ? random.between(1, 6) : 0 }, () => BigInt(random.between(1, 40)))
    const sum = outputs.reduce((total, cost) => total + cost, 0n)
    const total = random.pick([undefined, sum, sum + BigInt(random.between(0, 30)), BigInt(random.between(0, 150))])
    const amount = BigInt(random.between(1, 100))
    const minimum = random.chance(0.5) ? 1n : amount
    const fresh = { delivered: 0n, dispatched: false, decided: undefined, answered: false }
    return { id: ids, account: key === 13n ? 2n : 1n, key, amount, minimum, outputs, total, ...fresh }
  }

  /** The store takes some of the waiting questions into one commit: an embedded one in order, over a network in any. */
  function commit(): void {
    if (!store.up) return
    const next = () => (alone ? questions.shift() : random.take(questions))
    const batch = Array.from({ length: random.between(1, 4) }, next).filter((one) => one !== undefined)
    if (batch.length === 0) return
    const repeated = batch.filter(() => !alone && strikes('twice', 0.1))
    const results = store.transact(
      batch.map(({ verb }) => verb),
      START + time,
      strikes('rollback', 0.1),
    )
    for (const [index, question] of batch.entries()) {
      const result = results?.[index]
      note(() => `store: ${question.verb.verb} ${'id' in question.verb ? question.verb.id : ''} ${result?.outcome}`)
      if (result && !strikes('lost', 0.1)) answers.push({ question, result })
    }
    questions.push(...repeated)
  }

  function listen(): void {
    const ready = answers.filter(({ question }) => awake().includes(question.from))
    const one = random.pick(ready)
    if (!one) return
    answers = answers.filter((other) => other !== one)
    one.question.from.hear(one.question, one.result)
  }

  function admin(): void {
    const key = random.pick([11n, 12n, 13n]) ?? 11n
    const account = random.pick([1n, 2n]) ?? 1n
    const amount = BigInt(random.between(-200, 400))
    const cap = random.chance(0.5) ? undefined : BigInt(random.between(0, 600))
    const act = random.below(10)
    note(() => `admin: act ${act} on account ${account} or key ${key}`)
    store.change((rows) => {
      const keyRow = rows.keys.get(key)
      const accountRow = rows.accounts.get(account)
      if (!keyRow || !accountRow) return
      if (act === 0) {
        keyRow.revoked = true
        model.revoked.add(key)
      } else if (act < 3) {
        accountRow.disabled = act === 1
        if (accountRow.disabled) model.disabled.add(account)
        else model.disabled.delete(account)
      } else if (act < 6) keyRow.cap = cap
      else creditAccount(rows, account, amount)
    })
  }

  function misfortune(): void {
    const victim = random.pick(processes)
    if (victim && strikes('crash', 0.02)) crash(victim)
    const idle = hosts.find((host) => !processes.some((process) => process.host === host))
    if (idle && random.chance(0.05)) start(idle)
    const frozen = random.pick(awake())
    if (frozen && strikes('freeze', 0.01)) {
      frozen.frozenUntil = time + random.between(1_000, 20_000)
      note(() => `${frozen.name}: frozen`)
      const lonely = processes.filter(({ host }) => host === frozen.host).length === 1
      if (!alone && lonely && strikes('replace', 0.3)) start(frozen.host)
    }
    if (store.up ? strikes('outage', 0.01) : random.chance(0.05)) {
      store.up = !store.up
      note(() => `store: ${store.up ? 'up' : 'down'}`)
    }
    if (strikes('lost', 0.01)) random.take(questions)
    if (store.up && strikes('admin', 0.02)) admin()
  }

  function step(): void {
    misfortune()
    const choice = random.below(100)
    const process = random.pick(awake())
    if (choice < 25) commit()
    else if (choice < 50) listen()
    else if (choice < 62) time += random.chance(0.1) ? random.between(1_000, 4_000) : random.between(1, haste)
    else if (!process) time += 500
    else if (choice < 78) process.tick()
    else if (choice < 90) process.proceed()
    else if (choice < 94) process.fsync(!strikes('disk', 0.2))
    else if (process.canServe()) {
      const client = newClient()
      model.clients.set(client.id, client)
      note(() => `${process.name}: request ${client.id}`)
      process.serve(client)
    }
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
    settleDown(() => processes.every((process) => process.isIdle()) && questions.length === 0)
    for (const { slot, epoch, id, state } of store.rows.requests.values()) {
      const owner = processes.some(({ identity }) => identity()?.slot === slot && identity()?.epoch === epoch)
      must(!owner || state !== HELD, 'a live node that is done holds nothing', () => `request ${id}`)
    }
    for (const process of processes) if (random.chance(0.5)) process.leave()
    while (questions.length > 0) calmCommit()
    processes = []
    answers = []
    time += DEAD_AFTER_MS + 1
    for (const host of hosts) start(host)
    const late = time + 6_000
    settleDown(() => time > late && processes.every((process) => process.isIdle()) && questions.length === 0)
    checkEnd(store.rows, model)
  }

  return { step, quiet }
}
