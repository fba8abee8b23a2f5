// Uploaded files on disk while their request runs. All of them together are bounded; a request deletes its own files, and a
// start deletes those of processes that died.
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileSink, MultipartSink } from '@trivium/http/multipart/read-multipart.ts'
import { countReleased } from '../bytes/free-memory.ts'
import { Failure } from '../request/failure.ts'
import { acquireLock, type FolderLock } from './folder-lock.ts'

/** Its name is made by the gateway: nothing of what the client sent is in the path. */
export type SpooledFile = { path: string; size: number }

/** The files of one request. */
export type SpoolHandle = MultipartSink<SpooledFile> & {
  /** Deletes the files. May be called more than once. */
  close(): Promise<void>
}

export type Spool = {
  /** Bytes of all files that are open or have not been deleted. */
  readonly usedBytes: number
  /**
   * For a request of this account: its requests together take at most a quarter of the spool. Its only one may take more, as
   * long as half of the spool stays free for others, or as there are no others.
   */
  open(account: bigint): SpoolHandle
  /** Deletes everything of this process. */
  close(): Promise<void>
}

const LOCK = '.lock'
/** Smaller pieces are collected before they are written. */
const WRITE_BYTES = 64 * 1024
const TRIES = 10

/** `maxBytes`: as the configuration has it now. A full spool throws a Failure (503). */
export async function openSpool(folder: string, maxBytes: () => number): Promise<Spool> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeDead(folder)
  const { own, lock } = await createOwn(folder)
  let usedBytes = 0
  let files = 0

  const byAccount = new Map<bigint, number>()

  function reserve(account: bigint, ofRequest: number, bytes: number): void {
    const ofAccount = byAccount.get(account) ?? 0
    const mayTakeMore = usedBytes === ofRequest || (ofAccount === ofRequest && usedBytes + bytes <= maxBytes() / 2)
    if (usedBytes + bytes > maxBytes() || (!mayTakeMore && ofAccount + bytes > maxBytes() / 4)) throw full()
    usedBytes += bytes
    byAccount.set(account, ofAccount + bytes)
  }

  function release(account: bigint, bytes: number): void {
    usedBytes -= bytes
    const left = (byAccount.get(account) ?? 0) - bytes
    if (left > 0) byAccount.set(account, left)
    else byAccount.delete(account)
  }

  function openHandle(account: bigint): SpoolHandle {
    const opened: OpenFile[] = []
    const buffers = new WriteBuffers()
    let reserved = 0
    let closing: Promise<void> | undefined
    return {
      async open() {
        if (closing) throw new Error('the files of this request are deleted already')
        const path = join(own, String(++files))
        const handle = await open(path, 'wx', 0o600).catch(rejectFull)
        const file = new OpenFile(path, handle, buffers, (bytes) => {
          reserve(account, reserved, bytes)
          reserved += bytes
        })
        opened.push(file)
        return file
      },
      close() {
        closing ??= Promise.all(opened.map((file) => file.delete())).then(() => {
          release(account, reserved)
          reserved = 0
        })
        return closing
      },
    }
  }

  return {
    get usedBytes() {
      return usedBytes
    },
    open: openHandle,
    async close() {
      await rm(own, { recursive: true, force: true })
      lock.release()
    },
  }
}

/** The memory in which small pieces are collected: one buffer for the files of a request, which come one after the other. */
class WriteBuffers {
  #free: Buffer | undefined

  take(): Buffer {
    const buffer = this.#free ?? Buffer.allocUnsafeSlow(WRITE_BYTES)
    this.#free = undefined
    return buffer
  }

  giveBack(buffer: Buffer): void {
    this.#free = buffer
  }
}

class OpenFile implements FileSink<SpooledFile> {
  readonly #path: string
  readonly #reserve: (bytes: number) => void
  #handle: FileHandle | undefined
  readonly #buffers: WriteBuffers
  /** undefined: nothing is collected, so that a file which has ended takes no memory. */
  #collected: Buffer | undefined
  #collectedBytes = 0
  #size = 0

  constructor(path: string, handle: FileHandle, buffers: WriteBuffers, reserve: (bytes: number) => void) {
    this.#path = path
    this.#handle = handle
    this.#buffers = buffers
    this.#reserve = reserve
  }

  write(bytes: Uint8Array): undefined | Promise<unknown> {
    this.#reserve(bytes.length)
    this.#size += bytes.length
    countReleased(bytes.length)
    if (this.#collectedBytes + bytes.length > WRITE_BYTES) return this.#flush(bytes)
    this.#collected ??= this.#buffers.take()
    this.#collected.set(bytes, this.#collectedBytes)
    this.#collectedBytes += bytes.length
    return undefined
  }

  async end(): Promise<SpooledFile> {
    await this.#flush()
    this.#release()
    await this.#close()
    return { path: this.#path, size: this.#size }
  }

  async delete(): Promise<void> {
    this.#release()
    await this.#close().catch(() => {})
    await rm(this.#path, { force: true })
  }

  async #flush(bytes?: Uint8Array): Promise<void> {
    const handle = this.#handle
    if (!handle) throw new Error('the file is closed')
    if (this.#collected && this.#collectedBytes > 0) {
      await writeAll(handle, this.#collected.subarray(0, this.#collectedBytes))
    }
    this.#collectedBytes = 0
    if (bytes) await writeAll(handle, bytes)
  }

  #release(): void {
    if (this.#collected) this.#buffers.giveBack(this.#collected)
    this.#collected = undefined
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    written += (await handle.write(bytes, written).catch(rejectFull)).bytesWritten
  }
}

const full = () =>
  new Failure('service_unavailable', 'The gateway has no disk space for this upload. Retry in 5 seconds.', {
    retryAfter: 5,
  })

function rejectFull(error: unknown): never {
  const code = (error as NodeJS.ErrnoException).code
  throw code === 'ENOSPC' || code === 'EDQUOT' ? full() : error
}

async function createOwn(folder: string): Promise<{ own: string; lock: FolderLock }> {
  for (let tries = 0; tries < TRIES; tries++) {
    const own = join(folder, randomUUID())
    const lock = acquireLock(`${own}${LOCK}`)
    if (!lock) continue
    // After its lock: a folder without a lock belongs to no process.
    await mkdir(own, { mode: 0o700 })
    return { own, lock }
  }
  throw new Error(`cannot lock a file in ${folder}`)
}

/** The process that gets the lock of a folder may remove it. */
async function removeDead(folder: string): Promise<void> {
  const names = new Set((await readdir(folder)).map((name) => name.replace(/\.lock(-journal)?$/, '')))
  for (const name of names) {
    const lock = acquireLock(join(folder, `${name}${LOCK}`))
    if (!lock) continue
    await rm(join(folder, name), { recursive: true, force: true })
    lock.release()
  }
}
