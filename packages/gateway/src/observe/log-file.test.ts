// The log in a file, on real files and on a disk that is full.
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLogFile } from './log-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-log-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function opened(path: string) {
  const failures: string[] = []
  const file = openLogFile(path, {
    droppedLine: (count) => `${count} dropped\n`,
    failed: ({ message }) => void failures.push(message),
  })
  const write = (text: string) => new Promise<void>((resolve) => file.write(text, resolve))
  return { file, failures, write }
}

/** Opening a file anew is not awaited by anybody. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await Bun.sleep(1)
}
const descriptorOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.ino

test('appends, for the owner alone, also at exit', async () => {
  const path = join(folder, 'log')
  await opened(path).write('one\n')
  const { file, write } = opened(path)
  await write('two\n')
  file.writeLast('three\n')
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n')
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('what is being written when the process exits is not lost', () => {
  const path = join(folder, 'log')
  const { file } = opened(path)
  // Nothing runs in between: whether the first line has been written is not known to this thread.
  file.write('one\n', () => {})
  file.writeLast('two\n')
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  expect(lines).toContain('one')
  expect(lines).toContain('two')
})

test('after a rotation lines go to the new file, and none is lost', async () => {
  const path = join(folder, 'log')
  const { file, write } = opened(path)
  await write('one\n')
  renameSync(path, `${path}.1`)
  const writing = write('two\n')
  file.reopen()
  file.reopen()
  await writing
  await until(() => descriptorOf(path) !== undefined)
  let count = 0
  while (readFileSync(path, 'utf8') === '') await write(`${++count}\n`)
  const old = readFileSync(`${path}.1`, 'utf8')
  expect(old).toStartWith('one\ntwo\n')
  expect((old + readFileSync(path, 'utf8')).split('\n').filter(Boolean)).toHaveLength(count + 2)
})

test('a full disk is reported once, and what it cost once it can be written again', async () => {
  const path = join(folder, 'log')
  symlinkSync('/dev/full', path)
  const { file, failures, write } = opened(path)
  await write('one\n')
  await write('two\nthree\n')
  file.writeLast('four\n')
  expect(failures).toEqual([expect.stringContaining('ENOSPC')])
  unlinkSync(path)
  file.reopen()
  await until(() => descriptorOf(path) !== undefined)
  let tries = 0
  while (readFileSync(path, 'utf8') === '') {
    tries += 1
    await write('again\n')
  }
  expect(readFileSync(path, 'utf8')).toBe(`${2 + tries} dropped\nagain\n`)
  expect(failures).toHaveLength(1)
})

test('a file that cannot be opened anew leaves the former one in use', async () => {
  const path = join(folder, 'log')
  const { file, failures, write } = opened(path)
  renameSync(path, `${path}.1`)
  symlinkSync(join(folder, 'nowhere', 'log'), path)
  file.reopen()
  await until(() => failures.length > 0)
  await write('one\n')
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('one\n')
})

test('a path that cannot be written is an error at the start', () => {
  expect(() => openLogFile(join(folder, 'nowhere', 'log'), { droppedLine: String, failed() {} })).toThrow('ENOENT')
})
