// Many large uploads at once: on disk, not in memory, on the way in and on the way to the upstream.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { audit, newKey } from '../../test/support/gateway/accounts.ts'
import { type Gateway, startGateway } from '../../test/support/gateway/gateway.ts'
import { spooledFiles } from '../../test/support/gateway/spooled-files.ts'
import { wavOf } from '../../test/support/requests/audio.ts'

const MIB = 1024 * 1024
const UPLOADS = 20
const FILE_BYTES = 25 * MIB
const MOST_ABOVE_IDLE = 200 * MIB

/** Counts what it gets. */
const upstream = Bun.serve({
  port: 0,
  maxRequestBodySize: 1024 * MIB,
  async fetch(request) {
    let bytes = 0
    for await (const piece of request.body ?? []) bytes += piece.length
    const text = `${Math.floor(bytes / MIB)} MiB`
    const content = { parts: [{ text }], role: 'model' }
    return Response.json({ text, candidates: [{ content, finishReason: 'STOP' }] })
  },
})
let gateway: Gateway
beforeAll(async () => {
  const model = (id: string, at: string) =>
    `  - { id: ${id}, type: transcription, price: { per_minute: 0.006 }, routes: [{ upstream: ${at}, model: m }] }`
  gateway = await startGateway({
    config: [
      'sandbox: true',
      'upstreams:',
      `  - { id: form, dialect: chat, base_url: "http://127.0.0.1:${upstream.port}/v1", keys: [none] }`,
      `  - { id: json, dialect: generate-content, base_url: "http://127.0.0.1:${upstream.port}/v1beta", keys: [none] }`,
      'models:',
      model('form', 'form'),
      model('json', 'json'),
    ].join('\n'),
    env: { MIMALLOC_PURGE_HOLES: '0' },
  })
})
afterAll(async () => {
  expect(await audit(gateway)).toMatchObject({ ok: true, open_holds: 0 })
  expect(spooledFiles(gateway.home)).toEqual([])
  await gateway.stop()
  await upstream.stop(true)
})

function memory(name: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${gateway.pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) * 1024
}

const HEAD = wavOf(0)
const AFTER = '\r\n--b--\r\n'

/** Chunked: the client does not announce a length. */
async function upload(secret: string, model: string, bytes: number): Promise<{ status: number; text: string }> {
  const piece = new Uint8Array(MIB).fill(13)
  async function* body() {
    yield Buffer.from(`--b\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n`)
    yield Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n')
    yield HEAD
    for (let left = bytes - HEAD.length; left > 0; left -= MIB) yield piece.subarray(0, Math.min(left, MIB))
    yield Buffer.from(AFTER)
  }
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'multipart/form-data; boundary=b' }
  const sent = { method: 'POST', headers, body: body() as unknown as ReadableStream }
  const response = await fetch(`${gateway.url}/v1/audio/transcriptions`, sent)
  const { text } = (await response.json()) as { text: string }
  return { status: response.status, text }
}

/** By model, what shows that the whole file has arrived; in base64 it is longer by a third. */
const TEXTS: Readonly<Record<string, string>> = {
  form: '25 MiB',
  json: '33 MiB',
  'sandbox-transcription': '[sandbox]',
}
const MODELS = Object.keys(TEXTS)

test('20 concurrent uploads of 25 MiB stay under 200 MiB above idle', async () => {
  const { secret, settled } = await newKey(gateway, '100')
  // What first requests load stays in memory.
  for (const model of MODELS) await upload(secret, model, MIB)
  // Its peak is counted from now on.
  writeFileSync(`/proc/${gateway.pid}/clear_refs`, '5')
  const idle = memory('VmRSS')
  const models = Array.from({ length: UPLOADS }, (_, index) => MODELS[index % MODELS.length] ?? '')
  const replies = await Promise.all(models.map((model) => upload(secret, model, FILE_BYTES)))
  const expected = models.map((model) => ({ status: 200, text: expect.stringContaining(TEXTS[model] ?? '') }))
  expect(replies).toEqual(expected)
  const above = memory('VmHWM') - idle
  console.log(`idle ${Math.round(idle / MIB)} MiB, at most ${Math.round(above / MIB)} MiB above`)
  expect(above).toBeLessThan(MOST_ABOVE_IDLE)
  expect(await settled()).toHaveLength(UPLOADS + MODELS.length)
})
