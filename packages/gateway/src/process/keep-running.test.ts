import { expect, test } from 'bun:test'
import { crashLine, keepRunning } from './keep-running.mjs'

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
    report: (message) => did.push(/in \d+ ms/.exec(message)?.[0] ?? message),
    times: { firstDelayMs: 1, maxDelayMs: 20, steadyMs },
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

test('a crashed server is restarted after growing pauses, without end', async () => {
  const { ready, end, restarted, signal, exited, did } = watched()
  ready()
  for (let times = 1; times <= 8; times++) {
    // Whether the restarted ones get ready or not.
    if (times % 2 === 0) ready()
    end(times % 2 === 0 ? 70 : KILLED)
    await restarted(times)
  }
  signal('SIGTERM')
  end(KILLED)
  expect(await exited).toBe(KILLED)
  const pauses = [1, 2, 4, 8, 16, 20, 20, 20].map((ms) => `in ${ms} ms`)
  expect(did).toEqual(['start', ...pauses.flatMap((pause) => [pause, 'start']), 'SIGTERM'])
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

test('a restart that fails with an error is repeated: the reason may be passing', async () => {
  const { ready, end, restarted, did } = watched()
  ready()
  end(KILLED)
  await restarted(1)
  end(1)
  await restarted(2)
  expect(did).toEqual(['start', 'in 1 ms', 'start', 'in 2 ms', 'start'])
})

test('the line about a crash is JSON unless a terminal shows it', () => {
  expect(crashLine('the server crashed', true, undefined)).toBe('trivium: the server crashed\n')
  expect(crashLine('the server crashed', false, 'text')).toBe('trivium: the server crashed\n')
  expect(crashLine('the server crashed', true, 'json')).toStartWith('{')
  const line = crashLine('the server crashed', false, undefined)
  expect(JSON.parse(line)).toEqual({ time: expect.any(String), level: 'error', message: 'the server crashed' })
  expect(line.endsWith('}\n')).toBe(true)
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
