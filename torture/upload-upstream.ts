// An upstream in a process of its own that reads uploads and answers each with one image. Its first line is its port.
import { pngOf } from '../test/support/requests/images.ts'

const image = Buffer.from(await pngOf(64, 64)).toString('base64')
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 0,
  development: false,
  maxRequestBodySize: 2 ** 40,
  async fetch(request) {
    let bytes = 0
    for await (const piece of request.body ?? []) bytes += piece.length
    return Response.json({ created: 7, size: '64x64', received_bytes: bytes, data: [{ b64_json: image }] })
  },
})
process.stdout.write(`${server.port}\n`)
