// Many large uploads at once through a gateway: they are on disk, not in memory.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../test/support/eventually.ts'
import { startGateway } from '../../test/support/gateway/gateway.ts'
import { newHome } from '../../test/support/gateway/home.ts'
import { spooledFiles } from '../../test/support/gateway/spooled-files.ts'
import { edit, pngOf } from '../../test/support/requests/images.ts'
import { checkAudit } from '../check-ledger.ts'
import type { Scenario, Torture } from '../scenario.ts'
import { newWallet, rowsOf } from '../setup.ts'

const MIB = 1024 * 1024
const UPLOADS = 20
const FILE_BYTES = 50 * MIB
const MOST_ABOVE_IDLE = 200 * MIB

export const uploads: Scenario = { name: 'uploads', title: '20 concurrent uploads of 50 MiB', run }

async function run({ findings }: Torture): Promise<string> {
  const upstream = Bun.spawn([process.execPath, join(import.meta.dir, '../upload-upstream.ts')], { stdout: 'pipe' })
  const { value } = await upstream.stdout.getReader().read()
  const gateway = await startGateway({
    home: await newHome('sqlite', configFor(Number(new TextDecoder().decode(value)))),
  })
  try {
    const wallet = await newWallet(gateway, '100')
    const secret = wallet.secrets[0] ?? ''
    const source = await pngOf(64, 64)
    // One before: what the process loads at first use is no part of an upload.
    await send(gateway.url, secret, source, MIB)
    const idle = memoryOf(gateway.pid, 'VmRSS')
    const answers = await Promise.all(
      Array.from({ length: UPLOADS }, () => send(gateway.url, secret, source, FILE_BYTES)),
    )
    for (const { status, text } of answers) findings.must(status === 200, `${status} ${text.slice(0, 200)}`)
    const received = answers.filter(({ received_bytes = 0 }) => received_bytes > FILE_BYTES).length
    findings.must(received === UPLOADS, `the upstream received ${received} whole files`)
    const above = memoryOf(gateway.pid, 'VmHWM') - idle
    findings.must(above < MOST_ABOVE_IDLE, `${Math.round(above / MIB)} MiB above idle`)
    await eventually(() => spooledFiles(gateway.home).length === 0)
    const rows = await rowsOf(gateway, wallet)
    const charged = rows.filter(({ cost_usd }) => cost_usd === '0.04').length
    findings.must(charged === UPLOADS + 1, `${charged} charged`)
    await checkAudit(gateway, findings, true)
    return `idle ${Math.round(idle / MIB)} MiB, at most ${Math.round(above / MIB)} MiB above`
  } finally {
    await gateway.stop()
    upstream.kill('SIGKILL')
    await upstream.exited
  }
}

const configFor = (port: number): string => `
upstreams:
  - { id: images, dialect: images, base_url: "http://127.0.0.1:${port}/v1", keys: [any] }
models:
  - { id: img, type: image, routes: [{ upstream: images }], price: { per_image: 0.04 } }
`

type Answer = { status: number; text: string; received_bytes?: number }

/** A file of this many bytes that begins as an image. Chunked: the client does not announce a length. */
async function send(origin: string, secret: string, image: Uint8Array, fileBytes: number): Promise<Answer> {
  const piece = new Uint8Array(MIB)
  const field = (name: string, text: string) =>
    `\r\n--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}`
  async function* body() {
    yield Buffer.from('--b\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\n')
    yield image
    for (let left = fileBytes - image.length; left > 0; left -= MIB) yield piece.subarray(0, Math.min(left, MIB))
    yield Buffer.from(`${field('model', 'img')}${field('prompt', 'a hat')}\r\n--b--\r\n`)
  }
  const headers = { 'content-type': 'multipart/form-data; boundary=b' }
  const response = await edit(origin, secret, body() as unknown as FormData, { headers })
  const text = await response.text()
  return { status: response.status, text, ...(response.ok ? (JSON.parse(text) as object) : {}) }
}

/** In bytes; `VmHWM` is the most so far. */
const memoryOf = (pid: number, name: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
