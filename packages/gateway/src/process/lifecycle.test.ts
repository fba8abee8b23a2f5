import { expect, test } from 'bun:test'
import { createLifecycle, type StoppableServer } from './lifecycle.ts'

const SILENT = { info() {}, warn() {}, error() {} }
const TIMES = { acceptMs: 100, lateMs: 20, readMs: 200, settleMs: 10_000, sameSignalMs: 20 }

/** A server whose running requests end when `endsWith` happens. What was done to it, in order. */
function server(
  running: number,
  endsWith: 'abortRunning' | 'cutConnections' | 'itself',
  times = TIMES,
  ending?: (end: () => void) => void,
) {
  const done: string[] = []
  const finished = Promise.withResolvers<number>()
  let left = running
  const step = (name: string) => {
    done.push(name)
    if (name === endsWith) left = 0
  }
  const server: StoppableServer = {
    running: () => left,
    // What ends by itself has all the time that it needs.
    drainMs: () => (endsWith === 'itself' && !ending ? 60_000 : 100),
    hurry: () => step('hurry'),
    abortRunning: () => {
      step('abortRunning')
      ending?.(() => step('itself'))
    },
    stopAccepting: async () => {
      step('stopAccepting')
      if (endsWith === 'itself' && !ending) setTimeout(() => step('itself'), 50)
    },
    cutConnections: async () => step('cutConnections'),
    close: async () => step(`close with ${left} running`),
  }
  return { done, exited: finished.promise, lifecycle: createLifecycle(server, SILENT, finished.resolve, times) }
}

test.each([
  { what: 'nothing runs', running: 0, endsWith: 'itself', steps: ['hurry', 'stopAccepting', 'abortRunning'] },
  {
    what: 'what runs ends in time',
    running: 2,
    endsWith: 'itself',
    steps: ['hurry', 'stopAccepting', 'itself', 'abortRunning'],
  },
  {
    what: 'what runs has to be ended',
    running: 2,
    endsWith: 'abortRunning',
    steps: ['hurry', 'stopAccepting', 'abortRunning'],
  },
  {
    what: 'a reader takes nothing',
    running: 2,
    endsWith: 'cutConnections',
    steps: ['hurry', 'stopAccepting', 'abortRunning', 'cutConnections'],
  },
] as const)('closes only when all requests have ended: $what', async ({ running, endsWith, steps }) => {
  const { lifecycle, done, exited } = server(running, endsWith)
  lifecycle.becomeReady()
  expect([lifecycle.ready, lifecycle.accepting]).toEqual([true, true])
  lifecycle.stop('test')
  expect([lifecycle.ready, lifecycle.accepting]).toEqual([false, true])
  expect(await exited).toBe(0)
  expect(lifecycle.accepting).toBe(false)
  expect(done.filter((step) => steps.length > 3 || step !== 'itself')).toEqual([...steps, 'close with 0 running'])
})

test.each([
  ['SIGINT', 0, true],
  ['SIGTERM', 0, false],
  ['SIGINT', 1, false],
])('%s with %p running: ends at once %p', async (signal, running, atOnce) => {
  const { lifecycle, done, exited } = server(running, 'abortRunning')
  lifecycle.stop(signal)
  await Bun.sleep(0)
  expect(done.includes('stopAccepting')).toBe(atOnce)
  expect(await exited).toBe(0)
})

test('a thread that is busy with the ends of thousands of streams cuts none of them', async () => {
  const { done, exited, lifecycle } = server(1, 'itself', { ...TIMES, acceptMs: 1 }, (end) => {
    // Five turns of the event loop, each as long as all the time that clients have in a thread that is not busy.
    const turn = (left: number) => {
      for (const until = performance.now() + 2 * TIMES.readMs; performance.now() < until; );
      if (left > 0) setTimeout(turn, 0, left - 1)
      else end()
    }
    turn(5)
  })
  lifecycle.stop('SIGINT')
  expect(await exited).toBe(0)
  expect(done).toEqual(['hurry', 'stopAccepting', 'abortRunning', 'itself', 'close with 0 running'])
})

test('a second signal skips the waits, the echo of the first does not', async () => {
  const { lifecycle, done, exited } = server(1, 'abortRunning', { ...TIMES, acceptMs: 60_000 })
  lifecycle.stop('test')
  lifecycle.stop('echo')
  await Bun.sleep(2 * TIMES.sameSignalMs)
  expect(done).toEqual(['hurry'])
  lifecycle.stop('again')
  await Bun.sleep(0)
  expect(done.slice(0, 3)).toEqual(['hurry', 'stopAccepting', 'abortRunning'])
  expect(await exited).toBe(0)
})

test('a stop during the start prevents readiness', () => {
  const { lifecycle } = server(0, 'itself')
  lifecycle.stop('test')
  lifecycle.becomeReady()
  expect(lifecycle.ready).toBe(false)
})
