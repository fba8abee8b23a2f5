import { expect, test } from 'bun:test'
import { keepRunning } from './keep-running.mjs'

const KILLED = 137

/** A server that the test ends. */
function watched(steadyMs = 1_000_000) {
  const did: string[] = []
  let current = { ready: () => {}, end: (_: number) => {} }
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>()
  const { signal } = keepRunning({
    start(ready) {
      did.push('start')
      const { promise, resolve } = Promise.withResolvers<number>()
      current = { ready, end: resolve }
      return { exited: promise, kill: (name) => did.push(name) }
    },
    exit,
    report: (message) => did.push(/in \d+ ms|giving up/.exec(message)?.[0] ?? message),
    times: { firstDelayMs: 1, steadyMs },
  })
  const starts = () => did.filter((what) => what === 'start').length
  return {
    did,
    signal,
    exited,
    ready: () => current.ready(),
    end: (code: number) => current.end(code),
    async restarted(times: number) {
      while (starts() <= times) await Bun.sleep(1)
    },
  }
}

test.each([0, 1, 2])('exit code %d of a ready server passes through', async (code) => {
  const { ready, end, exited, did } = watched()
  ready()
  end(code)
  expect(await exited).toBe(code)
  expect(did).toEqual(['start'])
})

test('a server that was never ready is not restarted', async () => {
  const { end, exited, did } = watched()
  end(KILLED)
  expect([await exited, did]).toEqual([KILLED, ['start']])
})

test('a crashed server is restarted after growing pauses, five times in a row', async () => {
  const { ready, end, restarted, exited, did } = watched()
  ready()
  for (let times = 1; times <= 5; times++) {
    // Whether the restarted ones get ready or not.
    if (times % 2 === 0) ready()
    end(times % 2 === 0 ? 70 : KILLED)
    await restarted(times)
  }
  end(KILLED)
  expect(await exited).toBe(KILLED)
  const pauses = ['in 1 ms', 'in 2 ms', 'in 4 ms', 'in 8 ms', 'in 16 ms']
  expect(did).toEqual(['start', ...pauses.flatMap((pause) => [pause, 'start']), 'giving up'])
})

test('a server that was ready for a while resets the count', async () => {
  const { ready, end, restarted, did } = watched(0)
  for (let times = 1; times <= 8; times++) {
    ready()
    end(KILLED)
    await restarted(times)
  }
  expect(new Set(did)).toEqual(new Set(['start', 'in 1 ms']))
})

test('an error at a restart passes through: the server has reported it', async () => {
  const { ready, end, restarted, exited } = watched()
  ready()
  end(KILLED)
  await restarted(1)
  end(1)
  expect(await exited).toBe(1)
})

test('a server that was told to stop is not restarted, whatever its exit code', async () => {
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    const { ready, signal, end, exited, did } = watched()
    ready()
    signal(name)
    end(KILLED)
    expect([await exited, did]).toEqual([KILLED, ['start', name]])
  }
})

test('told to stop during a pause, nothing is started', async () => {
  const { ready, signal, end, exited, did } = watched()
  ready()
  end(KILLED)
  await Bun.sleep(0)
  signal('SIGTERM')
  expect(await exited).toBe(0)
  await Bun.sleep(10)
  expect(did).toEqual(['start', 'in 1 ms'])
})

test('SIGHUP is forwarded and stops nothing', async () => {
  const { ready, signal, end, restarted, did } = watched()
  ready()
  signal('SIGHUP')
  end(KILLED)
  await restarted(1)
  expect(did).toEqual(['start', 'SIGHUP', 'in 1 ms', 'start'])
})
