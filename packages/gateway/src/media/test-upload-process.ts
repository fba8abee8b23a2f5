// For tests: a process that receives uploads into a spool. Its first line is its port; `GET /` tells its memory.
import { json } from '@trivium/http/response.ts'
import { serveForTest, testHeaders } from '@trivium/http/test-support.ts'
import { readUpload } from './read-upload.ts'
import { openSpool } from './spool.ts'

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
  const handle = spool.open(1n)
  try {
    const options = { bodyBytes: 1024 * MIB, fileBytes: 64 * MIB, idleMs: 60_000, after }
    const { files } = await readUpload(http, options, handle)
    return json(200, testHeaders(), { sizes: files.map(({ size }) => size), used: spool.usedBytes })
  } finally {
    await handle.close()
  }
})
process.stdout.write(`${port}\n`)
