// The server of bench/micro/http-versions.ts, in plain Node: both versions of HTTP on one port, with a count of connections.
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'

const fixtures = new URL('../../packages/gateway/fixtures/', import.meta.url)
const [cert, key] = ['cert', 'key'].map((part) => readFileSync(new URL(`localhost.${part}.pem`, fixtures)))
const ANSWER = JSON.stringify({ id: 'x', choices: [{ message: { role: 'assistant', content: 'word '.repeat(200) } }] })
const EVENT = `data: {"id":"x","choices":[{"index":0,"delta":{"content":"${'word '.repeat(20)}"}}]}\n\n`
const EVERY_MS = 10

let connections = 0
const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
  if (request.url === '/connections') return response.end(String(connections))
  request.resume()
  request.on('end', () => {
    const events = Number(/^\/events\/(\d+)/.exec(request.url)?.[1] ?? 0)
    response.writeHead(200, { 'content-type': events > 0 ? 'text/event-stream' : 'application/json' })
    if (events === 0) return response.end(ANSWER)
    let sent = 0
    const timer = setInterval(() => {
      if (response.destroyed || response.stream?.destroyed || sent++ >= events) {
        clearInterval(timer)
        response.end()
      } else response.write(EVENT)
    }, EVERY_MS)
  })
})
server.on('secureConnection', () => connections++)
server.on('sessionError', () => {})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`))
