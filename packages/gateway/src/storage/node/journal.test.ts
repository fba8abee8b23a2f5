import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Finish } from '../../money/ledger.ts'
import { type Journal, type JournalFile, type JournalOptions, openJournal } from './journal.ts'
import { encodeLine, readLines } from './journal-lines.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'journal-'))
})
afterEach(async () => {
  // A FileHandle that is collected while open is an unhandled error in some later test.
  for (const journal of journals.splice(0)) await journal.close()
  await rm(folder, { recursive: true })
})

const journals: Journal[] = []
async function opened(options?: JournalOptions): Promise<Journal> {
  const journal = await openJournal(folder, options)
  journals.push(journal)
  return journal
}

const settle = (id: bigint, cost = 5n, nodeId = 3, epoch = 7): Finish => ({
  verb: 'settle',
  tokens: 12,
  id,
  nodeId,
  epoch,
  cost,
  upstream: 'second',
  upstreamCost: 3n,
  account: 5n,
  key: 6n,
  budgets: [7n, 2n ** 62n],
  attribution: { tags: ['env=prod', 'team=search'], endUser: 'u_1', session: '' },
  outcome: 'done',
  receipt: '{"note":"line\\nbreak, é 漢 \u{1f600}, \ud800"}',
})
const voided = (id: bigint): Finish => ({ verb: 'void', id, nodeId: 3, epoch: 7, outcome: 'store_down', receipt: '' })

/** Replays into a list, as a process that starts after the one that wrote. */
async function replayed(apply?: (verb: Finish, ageMs: number) => Promise<boolean>) {
  const verbs: Finish[] = []
  const journal = await opened()
  const report = await journal.replay(
    apply ??
      (async (verb) => {
        verbs.push(verb)
        return true
      }),
  )
  return { verbs, report, files: await readdir(folder) }
}

/** An openFile whose fsync waits for `release`, counts, and fails while `fail` is set. */
function watchedFiles() {
  const seen = { writes: 0, syncs: 0, fail: false, release: () => {} }
  const gate = new Promise<void>((resolve) => {
    seen.release = resolve
  })
  const openFile = async (path: string): Promise<JournalFile> => {
    const bytes: Uint8Array[] = []
    return {
      write: async (more) => {
        seen.writes += 1
        bytes.push(more)
        await writeFile(path, Buffer.concat(bytes), { mode: 0o600 })
      },
      sync: async () => {
        seen.syncs += 1
        if (seen.fail) throw new Error('disk full')
        await gate
      },
      inode: async () => (await stat(path, { bigint: true })).ino,
      close: async () => {},
    }
  }
  return { seen, openFile }
}

test('what was appended is replayed exactly by the next process, and the file is gone', async () => {
  const journal = await opened()
  const entries = [settle(2n ** 63n - 1n, 2n ** 53n + 1n), voided(12n), settle(13n, 0n)]
  await Promise.all(entries.map((entry) => journal.append(entry)))
  expect((await stat(join(folder, '3-7.jsonl'))).mode & 0o777).toBe(0o600)
  await journal.close()
  const { verbs, report, files } = await replayed()
  expect(verbs).toEqual(entries)
  expect(report).toEqual({ applied: 3, kept: 0, torn: 0, damaged: [] })
  expect(files).toEqual([])
})

test('each node has its own file, named by node id and epoch', async () => {
  const journal = await opened()
  await Promise.all([journal.append(settle(1n, 1n, 0, 1)), journal.append(settle(2n, 1n, 0, 2))])
  expect((await readdir(folder)).sort()).toEqual(['0-1.jsonl', '0-2.jsonl'])
})

test('an append resolves only after its fsync, and those that arrive together share one', async () => {
  const { seen, openFile } = watchedFiles()
  const journal = await opened({ openFile })
  let resolved = 0
  const first = journal.append(settle(1n)).then(() => (resolved += 1))
  while (seen.syncs === 0) await Bun.sleep(0)
  const others = [2n, 3n, 4n].map((id) => journal.append(settle(id)).then(() => (resolved += 1)))
  await Bun.sleep(5)
  expect(resolved).toBe(0)
  seen.release()
  await Promise.all([first, ...others])
  expect(seen).toMatchObject({ writes: 2, syncs: 2 })
})

test('an append that fails on the disk rejects, is still offered to the store, and later appends work', async () => {
  const { seen, openFile } = watchedFiles()
  seen.release()
  const journal = await opened({ openFile })
  seen.fail = true
  await expect(journal.append(settle(1n))).rejects.toThrow('disk full')
  seen.fail = false
  await journal.append(settle(2n))
  const offered = new Set<bigint>()
  await journal.replay(async (verb) => Boolean(offered.add(verb.id)))
  expect([...offered].sort()).toEqual([1n, 2n])
})

test('a file cut at any byte of its last line loses only that line', async () => {
  const whole = Buffer.from([settle(1n), voided(2n), settle(3n)].map(encodeLine).join(''))
  const lastLine = Buffer.from(encodeLine(settle(3n))).length
  for (let cut = 1; cut <= lastLine; cut += 1) {
    const { verbs, damaged, torn } = readLines(whole.subarray(0, whole.length - cut))
    expect(verbs.map((verb) => verb.id)).toEqual([1n, 2n])
    expect(damaged).toEqual([])
    expect(torn).toBe(cut < lastLine)
  }
})

test('a line of the version before tokens were counted is read', () => {
  const entry = '{"verb":"settle","id":"12","nodeId":3,"epoch":7,"cost":"5","outcome":"done","receipt":"{}"}'
  const line = `{"crc":"${Bun.hash.crc32(entry).toString(16).padStart(8, '0')}","entry":${entry}}\n`
  expect(readLines(Buffer.from(line))).toEqual({
    verbs: [{ verb: 'settle', id: 12n, nodeId: 3, epoch: 7, cost: 5n, tokens: 0, outcome: 'done', receipt: '{}' }],
    damaged: [],
    torn: false,
  })
})

test('any flipped byte of a line is noticed, and the lines around it are applied', () => {
  const middle = encodeLine(settle(2n))
  const before = Buffer.from(encodeLine(settle(1n)))
  for (let at = 0; at < Buffer.byteLength(middle) - 1; at += 1) {
    const line = Buffer.from(middle)
    line[at] = (line[at] ?? 0) ^ 1
    const { verbs, damaged } = readLines(Buffer.concat([before, line, Buffer.from(encodeLine(settle(3n)))]))
    expect(verbs.map((verb) => verb.id)).toEqual([1n, 3n])
    expect(damaged.length).toBeGreaterThan(0)
  }
})

test('a file with damaged lines is reported and kept aside, and not read again', async () => {
  await writeFile(join(folder, '0-1.jsonl'), `${encodeLine(settle(1n))}garbage\n${encodeLine(settle(2n))}{"crc":"12`)
  const first = await replayed()
  expect(first.verbs.map((verb) => verb.id)).toEqual([1n, 2n])
  expect(first.report).toMatchObject({ applied: 2, torn: 1, damaged: [{ line: 2, reason: 'format' }] })
  expect(first.files).toHaveLength(1)
  expect(first.files[0]).toEndWith('.damaged')
  expect((await replayed()).verbs).toEqual([])
})

describe('what the store has not taken stays', () => {
  test('a former process: the store fails in the middle, the next replay offers the rest', async () => {
    const journal = await opened()
    for (const id of [1n, 2n, 3n]) await journal.append(settle(id))
    const down = replayed(async (verb) => {
      if (verb.id === 2n) throw new Error('store down')
      return true
    })
    await expect(down).rejects.toThrow('store down')
    expect((await replayed(async (verb) => verb.id !== 3n)).report).toMatchObject({ applied: 2, kept: 1 })
    const { verbs, files } = await replayed()
    expect(verbs.map((verb) => verb.id)).toContain(3n)
    expect(files).toEqual([])
  })

  test('this process: kept entries come again with their age, and the file goes with the last', async () => {
    let now = 100
    const journal = await opened({ monotonic: () => now })
    await journal.append(voided(1n))
    await journal.append(settle(2n))
    now = 350
    const ages: number[] = []
    await journal.replay(async (verb, ageMs) => ages.push(ageMs) > 0 && verb.id === 2n)
    expect(ages).toEqual([250, 250])
    expect(journal.pending()).toBe(1)
    expect(await readdir(folder)).toEqual(['3-7.jsonl'])
    await journal.replay(async () => true)
    expect(journal.pending()).toBe(0)
    expect(await readdir(folder)).toEqual([])
    await journal.append(settle(4n))
    expect((await readFile(join(folder, '3-7.jsonl'), 'utf8')).trim()).toBe(encodeLine(settle(4n)).trim())
  })
})

test('a process taken for dead loses nothing that it appends while others replay its file', async () => {
  const frozen = await opened()
  const others = [await opened(), await opened()]
  const applied = new Set<bigint>()
  const apply = async (verb: Finish) => Boolean(applied.add(verb.id))
  const durable: bigint[] = []
  let id = 0n
  for (let round = 0; round < 30; round += 1) {
    const appends = [1, 2, 3].map(async () => {
      id += 1n
      const mine = id
      await frozen.append(settle(mine))
      durable.push(mine)
    })
    await Promise.all([...appends, ...others.map((other) => other.replay(apply))])
  }
  await frozen.close()
  await replayed(apply)
  expect(durable.filter((one) => !applied.has(one))).toEqual([])
  expect(await readdir(folder)).toEqual([])
})
