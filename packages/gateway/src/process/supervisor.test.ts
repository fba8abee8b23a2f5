import { describe, expect, test } from 'bun:test'
import type { Snapshot } from '../observe/metrics/snapshot.ts'
import { type Child, supervise } from './supervisor.ts'
import type { FromWorker, Question, Start, ToWorker } from './worker.ts'

const TIMES = { firstDelayMs: 1, maxDelayMs: 4, steadyMs: 10_000, checkCertificateMs: 60_000, lingerMs: 5, countMs: 20 }

/** Workers that do as the test says; what the parent does to them is kept, in order. */
function setUp(workers: number, { port = 0, tls = false } = {}) {
  const done: string[] = []
  const logged: string[] = []
  const metrics: { number: number; message: ToWorker }[] = []
  const living = new Map<number, { hear(message: FromWorker): void; end(code: number): void }>()
  const exited = Promise.withResolvers<number>()
  let answer = (_number: number, _question: Question): boolean => true
  let closedChannel = 0
  const launch = ({ number, role, port }: Start, hear: (message: FromWorker) => void): Child => {
    done.push(`${number} ${role} on ${port}`)
    const over = Promise.withResolvers<number>()
    living.set(number, { hear, end: over.resolve })
    return {
      send(message: ToWorker) {
        if (number === closedChannel) throw new Error('the channel is closed')
        if (message.say === 'ready') done.push(`${number} ready`)
        else if (message.say !== 'question') metrics.push({ number, message })
        else {
          done.push(`${number} ${message.about} ${message.to ?? ''}`.trim())
          queueMicrotask(() => hear({ say: 'answer', id: message.id, yes: answer(number, message) }))
        }
      },
      kill: (signal) => void done.push(`${number} ${signal}`),
      exited: over.promise,
    }
  }
  const keep = (message: string) => void logged.push(message)
  const log = { info: keep, warn: keep, error: keep }
  const ready = () => void done.push('ready')
  const supervisor = supervise({ workers, port, tls, launch, log, ready, exit: exited.resolve }, TIMES)
  const turn = () => Bun.sleep(0)
  return {
    done,
    logged,
    supervisor,
    exited: exited.promise,
    turn,
    taken: () => done.splice(0),
    metrics,
    says: (number: number, message: FromWorker) => living.get(number)?.hear(message),
    answerWith(next: typeof answer) {
      answer = next
    },
    closeChannel(number: number) {
      closedChannel = number
    },
    listens: (number: number, port = 4711) => living.get(number)?.hear({ say: 'listening', port }),
    async ends(number: number, code: number) {
      living.get(number)?.end(code)
      await turn()
    },
    async until(line: string) {
      while (!done.includes(line)) await Bun.sleep(1)
      return done.splice(0)
    },
  }
}

async function serving(workers: number, options: { tls?: boolean } = {}) {
  const world = setUp(workers, options)
  for (let number = 1; number <= workers; number += 1) world.listens(number)
  world.taken()
  return world
}

test('the first worker opens the port, the others join it, and they become ready together', () => {
  const { taken, listens } = setUp(3)
  expect(taken()).toEqual(['1 first on 0'])
  listens(1)
  expect(taken()).toEqual(['2 joins on 4711', '3 joins on 4711'])
  listens(3)
  expect(taken()).toEqual([])
  listens(2)
  expect(taken()).toEqual(['1 ready', '2 ready', '3 ready', 'ready'])
})

test('if the start of one worker fails, all stop, and the exit code is 1', async () => {
  const { listens, ends, taken, exited } = setUp(2)
  listens(1)
  taken()
  await ends(2, 1)
  expect(taken()).toEqual(['1 SIGTERM'])
  await ends(1, 0)
  expect(await exited).toBe(1)
})

test('any worker that exits is restarted on the same port, ready or not', async () => {
  const { ends, until, listens } = await serving(2)
  await ends(1, 137)
  expect(await until('1 again on 4711')).toEqual(['1 again on 4711'])
  listens(1)
  await ends(2, 0)
  expect(await until('2 again on 4711')).toEqual(['2 again on 4711'])
})

test('failing workers are restarted without end, also if none can start', async () => {
  const { ends, until, logged } = await serving(2)
  for (let time = 0; time < 8; time += 1) {
    await ends(1, 1)
    await until('1 again on 4711')
  }
  expect(new Set(logged)).toEqual(new Set(['worker exited; restarting it']))
  await ends(1, 1)
  await ends(2, 1)
  expect(logged.at(-1)).toBe('no worker is running; restarting one')
  await until('2 again on 4711')
})

test('it reports once that it is ready: when all workers listen', async () => {
  const { done, listens, ends, until } = setUp(2)
  listens(1)
  expect(done).not.toContain('ready')
  listens(2)
  expect(done.filter((what) => what === 'ready')).toEqual(['ready'])
  await ends(1, 137)
  await until('1 again on 4711')
  listens(1)
  expect(done).not.toContain('ready')
})

test.each([
  { codes: [0, 0], exits: 0 },
  { codes: [0, 1], exits: 1 },
])('each SIGTERM goes to all workers, and the exit waits for the last: $codes', async ({ codes, exits }) => {
  const { supervisor, ends, taken, exited, turn } = await serving(2)
  supervisor.stop('SIGTERM')
  supervisor.stop('SIGTERM')
  expect(taken()).toEqual(['1 SIGTERM', '2 SIGTERM', '1 SIGTERM', '2 SIGTERM'])
  let over = false
  void exited.then(() => {
    over = true
  })
  await ends(1, codes[0] ?? 0)
  await turn()
  expect(over).toBe(false)
  await ends(2, codes[1] ?? 0)
  expect(await exited).toBe(exits)
  expect(taken()).toEqual([])
})

test('told to stop during the start, it starts no further workers', async () => {
  const { supervisor, listens, ends, taken, exited } = setUp(2)
  supervisor.stop('SIGTERM')
  listens(1)
  await ends(1, 143)
  expect(taken()).toEqual(['1 first on 0', '1 SIGTERM'])
  expect(await exited).toBe(0)
})

test('SIGHUP is forwarded to running workers', async () => {
  const { supervisor, taken, ends, until } = await serving(2)
  await ends(2, 1)
  await until('2 again on 4711')
  supervisor.reload()
  expect(taken()).toEqual(['1 SIGHUP'])
})

test('a renewed certificate: all workers open a listener, connections go to the first new one, then the old ones are closed', async () => {
  const { supervisor, until, answerWith } = await serving(3, { tls: true })
  // The second finds half of the new pair, and keeps what it has.
  answerWith((number, { about }) => about !== 'renew' || number !== 2)
  supervisor.reload()
  expect(await until('1 steer 4294967295')).toEqual([
    '1 SIGHUP',
    '2 SIGHUP',
    '3 SIGHUP',
    '1 renew',
    '2 renew',
    '3 renew',
    '1 steer 3',
    '1 retire',
    '3 retire',
    '1 steer 4294967295',
  ])
})

test('a worker that exits during a certificate renewal does not block the others', async () => {
  const { supervisor, answerWith, until, ends } = await serving(2, { tls: true })
  answerWith((number, { about }) => {
    if (number === 1 && about === 'renew') void ends(1, 1)
    return true
  })
  supervisor.reload()
  await until('1 again on 4711')
  supervisor.reload()
  await until('2 renew')
})

test('a certificate is still renewed after a worker could not be asked once', async () => {
  const { supervisor, closeChannel, until, taken, logged, turn } = await serving(2, { tls: true })
  closeChannel(2)
  supervisor.reload()
  await until('1 renew')
  closeChannel(0)
  await turn()
  expect(logged).toEqual(['certificate not renewed by all workers'])
  taken()
  supervisor.reload()
  await until('2 renew')
})

describe('metrics', () => {
  const snapshot = (shed: number): Snapshot => ({ shed: [[[], shed]], running: [[[], shed]] })
  const counted = (shed: number): FromWorker => ({ say: 'count', snapshot: snapshot(shed) })

  test('a worker that is scraped gets what the others count now, and what ended ones had counted', async () => {
    const { metrics, says, ends, until, listens } = await serving(3)
    says(3, counted(5))
    await ends(3, 1)
    await until('3 again on 4711')
    listens(3)
    metrics.splice(0)
    says(1, { say: 'metrics' })
    expect(metrics.splice(0)).toEqual([2, 3].map((number) => ({ number, message: { say: 'count' } })))
    says(2, counted(7))
    says(3, counted(1))
    expect(await answerIn(metrics)).toEqual({
      number: 1,
      message: { say: 'metrics', snapshots: [{ shed: [[[], 5]] }, snapshot(7), snapshot(1)] },
    })
  })

  test('of a worker that does not answer, the last report counts', async () => {
    const { metrics, says } = await serving(2)
    says(2, counted(7))
    says(1, { say: 'metrics' })
    expect((await answerIn(metrics))?.message).toEqual({ say: 'metrics', snapshots: [{}, snapshot(7)] })
  })

  test('each report is confirmed, so that a worker can wait for it before it exits', async () => {
    const { metrics, says } = await serving(2)
    says(2, counted(7))
    expect(metrics).toEqual([{ number: 2, message: { say: 'counted' } }])
  })

  async function answerIn(metrics: readonly { number: number; message: ToWorker }[]) {
    const find = () => metrics.find(({ message }) => message.say === 'metrics')
    while (!find()) await Bun.sleep(1)
    return find()
  }
})
