import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../request/failure.ts'
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

async function open(maxBytes = 4_000_000): Promise<Spool> {
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
  const handles = [1n, 2n, 3n, 4n, 5n].map((account) => spool.open(account))
  const files = await Promise.all(handles.map((handle) => handle.open(PART)))
  for (const file of files.slice(0, 4)) await file.write(new Uint8Array(25))
  const error = await Promise.resolve()
    .then(() => files[4]?.write(new Uint8Array(1)))
    .catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(Failure)
  expect((error as Failure).info).toMatchObject({ code: 'service_unavailable', retryAfter: 5 })
  await handles[0]?.close()
  await files[4]?.write(new Uint8Array(25))
  expect(spool.usedBytes).toBe(100)
  for (const handle of handles) await handle.close()
  expect([spool.usedBytes, filesIn()]).toEqual([0, []])
})

test('the requests of one account take at most a quarter of the spool, so that others find room', async () => {
  const spool = await open(100)
  const handles = [1n, 1n, 2n].map((account) => spool.open(account))
  const [one, two, other] = await Promise.all(handles.map((handle) => handle.open(PART)))
  await one?.write(new Uint8Array(20))
  await two?.write(new Uint8Array(5))
  for (const file of [one, two]) expect(() => file?.write(new Uint8Array(1))).toThrow(Failure)
  // A request that is its account's only one may take more while half of the spool stays free.
  await other?.write(new Uint8Array(25))
  expect(() => other?.write(new Uint8Array(1))).toThrow(Failure)
  await handles[0]?.close()
  await other?.write(new Uint8Array(20))
  expect(() => other?.write(new Uint8Array(1))).toThrow(Failure)
  // Without others it may take all.
  await handles[1]?.close()
  await other?.write(new Uint8Array(55))
  expect(spool.usedBytes).toBe(100)
  for (const handle of handles) await handle.close()
  expect(spool.usedBytes).toBe(0)
})

test('the files of a request share one buffer, which none of them keeps', async () => {
  const handle = (await open()).open(1n)
  const before = process.memoryUsage().arrayBuffers
  const sizes: number[] = []
  for (let files = 0; files < 100; files++) {
    const file = await handle.open(PART)
    await file.write(new Uint8Array(10))
    sizes.push((await file.end()).size)
  }
  expect(sizes).toEqual(Array(100).fill(10))
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10 * 64 * 1024)
  await handle.close()
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
  const script = join(import.meta.dir, '../../test-support/media/spool-process.ts')
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
