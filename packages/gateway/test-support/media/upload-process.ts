// For tests: a process that receives uploads into a spool. Its first line is its port; `GET /` tells its memory.
import { json } from '@trivium/http/response.ts'
import { serveForTest, testHeaders } from '../../../http/test-support/serve.ts'
import { readForm, type UploadedFile } from '../../src/media/read-form.ts'
import { openSpool } from '../../src/media/spool.ts'

const MIB = 1024 * 1024
const [, , folder = ''] = process.argv
const spool = await openSpool(folder, () => 4096 * MIB)
let most = 0
setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss())
}, 10)
const after = (ms: number, run: () => void) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

const { port } = serveForTest(async (http) => {
  if (http.method === 'GET') return json(200, testHeaders(), { rss: process.memoryUsage.rss(), most })
  const slot = { received: () => true, turn: () => undefined, charge: () => {} }
  const context = { account: 1n, bodyBytes: 1024 * MIB, slot, isRepeatable: false }
  const rules = { fileBytes: 64 * MIB, inspect: ({ size }: UploadedFile) => size }
  const { files, close } = await readForm(http, context, rules, { spool, ticker: { after }, bodyIdleMs: 60_000 })
  const used = spool.usedBytes
  await close()
  return json(200, testHeaders(), { sizes: files, used })
})
process.stdout.write(`${port}\n`)
