import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../access/failure.ts'
import { openSpool, type Spool } from './spool.ts'

let folder = ''
let opened: Spool[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trivium-spool-'))
  opened = []
})
afterEach(async () => {
  for (const spool of opened) await spool.close()
  rmSync(folder, { recursive: true, force: true })
})

async function open(maxBytes = 1_000_000): Promise<Spool> {
  const spool = await openSpool(folder, () => maxBytes)
  opened.push(spool)
  return spool
}

const PART = { name: 'image', filename: '../../etc/passwd', contentType: 'image/png' }
const filesIn = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && !/\.lock(-journal)?$/.test(entry.name) ? [join(entry.parentPath, entry.name)] : [],
  )

test('files are private, have names of our own, hold what was written, and are deleted with their request', async () => {
  const spool = await open()
  const [one, two] = [spool.open(1n), spool.open(1n)]
  for (const handle of [one, two]) {
    const file = await handle.open(PART)
    for (const size of [1, 0, 70_000, 3, 65_536, 65_536, 7]) await file.write(new Uint8Array(size).fill(size & 255))
    const { path, size } = await file.end()
    expect([size, statSync(path).mode & 0o777, path.startsWith(`${folder}/`)]).toEqual([201_083, 0o600, true])
    expect(path).not.toContain('passwd')
    const written = [1, 0, 70_000, 3, 65_536, 65_536, 7].map((each) => Buffer.alloc(each, each & 255))
    expect(readFileSync(path).equals(Buffer.concat(written))).toBe(true)
  }
  expect([filesIn().length, spool.usedBytes]).toEqual([2, 402_166])
  await one.close()
  await one.close()
  expect([filesIn().length, spool.usedBytes]).toEqual([1, 201_083])
  await two.close()
  expect([filesIn(), spool.usedBytes]).toEqual([[], 0])
})

test('beyond its bound the spool is full until a request deletes its files', async () => {
  const spool = await open(100)
  const [one, two] = [spool.open(1n), spool.open(2n)]
  const first = await one.open(PART)
  await first.write(new Uint8Array(60))
  const second = await two.open(PART)
  await second.write(new Uint8Array(40))
  const error = await Promise.resolve()
    .then(() => second.write(new Uint8Array(1)))
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Failure)
  expect((error as Failure).info).toMatchObject({ code: 'unavailable', retryAfter: 5 })
  await one.close()
  await second.write(new Uint8Array(60))
  expect(spool.usedBytes).toBe(100)
  await two.close()
  expect([spool.usedBytes, filesIn()]).toEqual([0, []])
})

test('the requests of one account take at most half of the spool, so that others find room', async () => {
  const spool = await open(100)
  const handles = [1n, 1n, 2n].map((account) => spool.open(account))
  const [one, two, other] = await Promise.all(handles.map((handle) => handle.open(PART)))
  await one?.write(new Uint8Array(40))
  await two?.write(new Uint8Array(10))
  expect(() => two?.write(new Uint8Array(1))).toThrow(Failure)
  await other?.write(new Uint8Array(50))
  for (const handle of handles) await handle.close()
  expect(spool.usedBytes).toBe(0)
})

test('a file that was never finished is deleted, too', async () => {
  const handle = (await open()).open(1n)
  const file = await handle.open(PART)
  await file.write(new Uint8Array(100_000))
  await handle.close()
  expect(filesIn()).toEqual([])
  expect(await Promise.resolve(handle.open(PART)).catch(String)).toContain('deleted already')
})

test('a start deletes the files of dead processes, and not those of living ones', async () => {
  const script = join(import.meta.dir, 'test-spool-process.ts')
  const start = async () => {
    const child = Bun.spawn([process.execPath, script, folder], { stdout: 'pipe' })
    const { value } = await child.stdout.getReader().read()
    return { child, path: new TextDecoder().decode(value).trim() }
  }
  const [dead, living] = [await start(), await start()]
  dead.child.kill('SIGKILL')
  await dead.child.exited
  await mkdir(join(folder, 'nobody'))
  writeFileSync(join(folder, 'nobody', '1'), 'x')
  expect(filesIn().sort()).toEqual([dead.path, living.path, join(folder, 'nobody', '1')].sort())
  const own = (await open()).open(1n)
  await (await own.open(PART)).write(new Uint8Array(1))
  // Another start in the same process.
  await open()
  expect(filesIn()).toHaveLength(2)
  expect(filesIn()).toContain(living.path)
  living.child.kill('SIGKILL')
  await living.child.exited
  await open()
  expect(filesIn()).toHaveLength(1)
  await own.close()
})
