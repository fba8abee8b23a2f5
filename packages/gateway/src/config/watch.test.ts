// Hot reload on real files: replaced, written in place, broken, emptied, removed, asked for.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assembleFile, loadFile } from '../server/config.ts'
import type { Mistake } from '../yaml/document.ts'
import type { Change } from './changes.ts'
import type { FileConfig } from './types.ts'
import { type ConfigWatcher, type WatchOptions, watchConfig } from './watch.ts'

let folder = ''
let file = ''
let watcher: ConfigWatcher | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-watch-'))
  file = join(folder, 'trivium.yaml')
  writeFileSync(file, credit(1))
})
afterEach(() => {
  watcher?.close()
  rmSync(folder, { recursive: true, force: true })
})

const credit = (usd: number) => `registration: { trial_credit: ${usd} }\n`
const creditOf = (config: FileConfig | undefined) => Number((config?.registration.trialCredit ?? 0n) / 1_000_000_000n)

const load = (path: string, bytes: Uint8Array) => assembleFile({ path, bytes }, { revision: 0, entries: [] }, {})

type Seen = { configs: FileConfig[]; changes: Change[][]; mistakes: Mistake[][] }

function goodConfig(path: string): FileConfig {
  const { config } = loadFile(path, {})
  if (!config) throw new Error('the first configuration must be good')
  return config
}

function start(options: Partial<WatchOptions> = {}, path = file): Seen {
  let running = goodConfig(path)
  const seen: Seen = { configs: [], changes: [], mistakes: [] }
  watcher = watchConfig(
    path,
    load,
    (config, changes) => {
      running = config
      seen.configs.push(config)
      seen.changes.push(changes)
    },
    (mistakes) => seen.mistakes.push([...mistakes]),
    { running: () => running, settleMs: 20, pollMs: 60_000, ...options },
  )
  return seen
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; !condition(); tries++) {
    if (tries > 1000) throw new Error('waited in vain')
    await Bun.sleep(10)
  }
}

const credits = (seen: Seen) => seen.configs.map(creditOf)

test('a file renamed over the old one, twice', async () => {
  const seen = start()
  for (const [index, content] of [credit(2), `${credit(2)}server: { drain: 5s }\n`].entries()) {
    writeFileSync(`${file}.new`, content)
    renameSync(`${file}.new`, file)
    await until(() => seen.configs.length > index)
  }
  expect(credits(seen)).toEqual([2, 2])
  expect(seen.configs[1]?.server.drainMs).toBe(5_000)
  // The second time compared with the first reload, not with the start.
  expect(seen.changes.map((changes) => changes.map(({ what }) => what))).toEqual([
    ['registration.trial_credit changed'],
    ['server.drain changed'],
  ])
  expect(seen.mistakes).toEqual([])
})

test('written in place, in pieces: only the complete file is loaded', async () => {
  const seen = start({ settleMs: 100 })
  // The first write empties the file, and every piece alone is a valid file: taken too early, it would be credit 10.
  writeFileSync(file, '')
  for (let piece = 0; piece < 40; piece++) {
    appendFileSync(file, `# piece ${piece}\n`)
    await Bun.sleep(10)
  }
  writeFileSync(file, `# whole\n${credit(5)}`)
  await until(() => seen.configs.length > 0)
  expect(credits(seen)).toEqual([5])
  expect(seen.mistakes).toEqual([])
})

test('an invalid edit is reported once and not applied; the next valid one is', async () => {
  const seen = start({ pollMs: 30 })
  writeFileSync(file, 'registration: { trial_credit: free }\nsever: 1\n')
  await until(() => seen.mistakes.length > 0)
  expect(seen.mistakes[0]?.map(({ line }) => line)).toEqual([1, 2])
  // Many polls later it has not been said again.
  await Bun.sleep(300)
  expect(seen.mistakes).toHaveLength(1)
  expect(seen.configs).toEqual([])
  writeFileSync(file, credit(1))
  await until(() => seen.configs.length > 0)
  expect(credits(seen)).toEqual([1])
  expect(seen.changes).toEqual([[]])
})

test('emptied or removed: the running configuration stays', async () => {
  const seen = start()
  writeFileSync(file, '\n')
  await until(() => seen.mistakes.length > 0)
  expect(seen.mistakes[0]?.[0]?.message).toContain('is empty; the running configuration stays in force')
  rmSync(file)
  await until(() => seen.mistakes.length > 1)
  expect(seen.mistakes[1]?.[0]?.message).toContain('cannot be read: no such file')
  writeFileSync(file, credit(4))
  await until(() => seen.configs.length > 0)
  expect(credits(seen)).toEqual([4])
})

test.each([
  ['comments alone', '# What this gateway serves.\n\n  # more to come\n'],
  ['the mark of a document alone', '---\n'],
  ['a mark with a comment', '%YAML 1.2\n--- # what is served\n'],
  ['both marks of a document', '---\n...\n'],
  ['a byte order mark and a comment', '\u{feff}# What this gateway serves.\n'],
  ['a null', 'null\n'],
])('%s: the running configuration stays', async (_, text) => {
  const seen = start()
  writeFileSync(file, text)
  await until(() => seen.mistakes.length + seen.configs.length > 0)
  expect(seen.configs).toEqual([])
  expect(seen.mistakes[0]?.[0]?.message).toContain('is empty; the running configuration stays in force')
})

test('a change without an event (behind a link to another folder) is found by polling', async () => {
  mkdirSync(join(folder, 'elsewhere'))
  const target = join(folder, 'elsewhere', 'real.yaml')
  const link = join(folder, 'linked.yaml')
  writeFileSync(target, credit(1))
  symlinkSync(target, link)
  const seen = start({ pollMs: 40 }, link)
  // The first may be found by the look that every start begins with, the second only by the poll.
  for (const usd of [6, 7]) {
    writeFileSync(target, credit(usd))
    await until(() => credits(seen).includes(usd))
  }
  expect(credits(seen)).toEqual([6, 7])
})

test('in a folder with many writes, the file is polled instead of watching the folder', async () => {
  const seen = start({ busyFolder: true, pollMs: 20 })
  writeFileSync(file, credit(2))
  await until(() => seen.configs.length > 0)
  expect(credits(seen)).toEqual([2])
})

test('a file that did not exist at the start is loaded once it does, and its absence is no mistake', async () => {
  const early = join(folder, 'early.yaml')
  let running = goodConfig(file)
  const seen: Seen = { configs: [], changes: [], mistakes: [] }
  watcher = watchConfig(
    early,
    load,
    (config) => {
      running = config
      seen.configs.push(config)
    },
    (mistakes) => seen.mistakes.push([...mistakes]),
    { running: () => running, settleMs: 10, pollMs: 30, mayBeMissing: true },
  )
  await watcher.reload()
  await Bun.sleep(100)
  expect(seen.mistakes).toEqual([])
  writeFileSync(early, credit(7))
  await until(() => seen.configs.length > 0)
  expect(credits(seen)).toEqual([7])
  // From now on it is a file like any other.
  rmSync(early)
  await until(() => seen.mistakes.length > 0)
  expect(seen.mistakes[0]?.[0]?.message).toContain('cannot be read')
})

test('an edit between the first load and the watch is not missed', async () => {
  const running = goodConfig(file)
  writeFileSync(file, credit(8))
  const seen = start({ running: () => running })
  await until(() => seen.configs.length > 0)
  expect(credits(seen)).toEqual([8])
})

test('an edit between reading and loading the file, taken back at once: the file as it is now is in force', async () => {
  const running = goodConfig(file)
  const loaded: number[] = []
  let isFirst = true
  watcher = watchConfig(
    file,
    (name, contents) => {
      if (isFirst) writeFileSync(file, credit(2))
      isFirst = false
      return load(name, contents)
    },
    (config) => {
      loaded.push(creditOf(config))
      if (loaded.length === 1) writeFileSync(file, credit(1))
    },
    () => {},
    { running: () => running, settleMs: 20, pollMs: 60_000 },
  )
  await until(() => loaded.length > 1)
  expect(loaded).toEqual([2, 1])
})

test('on request: reloads without a change, and reports mistakes again', async () => {
  const seen = start()
  await watcher?.reload()
  expect(seen.changes).toEqual([[]])
  writeFileSync(file, 'nonsense: 1\n')
  await watcher?.reload()
  await watcher?.reload()
  expect(seen.mistakes).toHaveLength(2)
})

test('a configuration that cannot be applied is reported, and the next edit is tried', async () => {
  const running = goodConfig(file)
  const tried: Change[][] = []
  const messages: string[] = []
  const fail = (_: FileConfig, changes: Change[]) => {
    tried.push(changes)
    throw new Error('port is taken')
  }
  const note = (mistakes: readonly Mistake[]) => messages.push(...mistakes.map(({ message }) => message))
  watcher = watchConfig(file, load, fail, note, {
    running: () => running,
    settleMs: 20,
    pollMs: 60_000,
  })
  writeFileSync(file, credit(2))
  await watcher.reload()
  expect(messages).toEqual(['could not be applied: port is taken'])
  await watcher.reload()
  // Still told as a change: what is running is the first one.
  expect(tried[1]).toEqual([{ what: 'registration.trial_credit changed', restart: false }])
})

test('closed: no further change is loaded', async () => {
  const seen = start({ pollMs: 20 })
  watcher?.close()
  writeFileSync(file, credit(9))
  await watcher?.reload()
  await Bun.sleep(150)
  expect(seen).toEqual({ configs: [], changes: [], mistakes: [] })
})
