// Many large uploads at once: on disk, not in memory.
import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MIB = 1024 * 1024
const UPLOADS = 20
const FILE_BYTES = 50 * MIB
const MOST_ABOVE_IDLE = 200 * MIB

const HEAD = '--b\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
const END = '\r\n--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n--b--\r\n'

/** Chunked: the client does not announce a length. */
function upload(url: string): Promise<Response> {
  // Line ends, which may all be the beginning of a delimiter.
  const piece = new Uint8Array(MIB).fill(13)
  async function* body() {
    yield Buffer.from(HEAD)
    for (let sent = 0; sent < FILE_BYTES; sent += MIB) yield piece
    yield Buffer.from(END)
  }
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  return fetch(url, { method: 'POST', headers, body: body() as unknown as ReadableStream })
}

test('20 concurrent uploads of 50 MiB stay under 200 MiB above idle', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trivium-uploads-'))
  const command = [process.execPath, join(import.meta.dir, '../../test-support/media/upload-process.ts'), folder]
  // As in production.
  const child = Bun.spawn(command, { stdout: 'pipe', env: { ...process.env, MIMALLOC_PURGE_HOLES: '0' } })
  try {
    const { value } = await child.stdout.getReader().read()
    const url = `http://127.0.0.1:${Number(new TextDecoder().decode(value))}`
    const memory = async () => (await (await fetch(url)).json()) as { rss: number; most: number }
    const { rss: idle } = await memory()
    const responses = await Promise.all(Array.from({ length: UPLOADS }, () => upload(url)))
    for (const response of responses) expect(await response.json()).toMatchObject({ sizes: [FILE_BYTES] })
    const { most } = await memory()
    console.log(`idle ${Math.round(idle / MIB)} MiB, at most ${Math.round((most - idle) / MIB)} MiB above`)
    expect(most - idle).toBeLessThan(MOST_ABOVE_IDLE)
    expect(readdirSync(folder, { recursive: true }).filter((name) => /\/\d+$/.test(String(name)))).toEqual([])
  } finally {
    child.kill('SIGKILL')
    await child.exited
    rmSync(folder, { recursive: true, force: true })
  }
})
