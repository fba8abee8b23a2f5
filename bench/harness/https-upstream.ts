// The fixed upstream over TLS, a process of its own: HTTP/1.1 and HTTP/2 on one port. Prints its port.
import { readFileSync } from 'node:fs'
import { createSecureServer, type Http2ServerResponse } from 'node:http2'
import { pace } from './pace.ts'
import { CERTIFICATE, PRIVATE_KEY } from './processes.ts'
import { jsonReply, lastEvents, textEvent } from './wire.ts'

const files = { cert: readFileSync(CERTIFICATE), key: readFileSync(PRIVATE_KEY) }
const JSON_BODY = Buffer.from(jsonReply())
const JSON_HEADERS = { 'content-type': 'application/json', 'content-length': JSON_BODY.length }
const EVENTS = Array.from({ length: 20 }, (_, index) => Buffer.from(textEvent(index)))
const LAST_EVENTS = Buffer.from(lastEvents())

const server = createSecureServer({ ...files, allowHTTP1: true }, (request, response) => {
  const [, kind, events, perWrite, everyMs] = request.url.split('/')
  request.resume()
  request.on('end', () => {
    if (kind === 'json') {
      response.writeHead(200, JSON_HEADERS)
      response.end(JSON_BODY)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (kind === 'open') return void response.write(EVENTS[0] ?? LAST_EVENTS)
    if (everyMs === '0') return flood(response, Number(events), Number(perWrite))
    let sent = 0
    pace(Number(everyMs), () => {
      if (response.destroyed) return false
      const event = sent < Number(events) ? EVENTS[sent++ % EVENTS.length] : undefined
      if (event) response.write(event)
      else response.end(LAST_EVENTS)
      return event !== undefined
    })
  })
})
/** As fast as it is taken. */
function flood(response: Http2ServerResponse, events: number, perWrite: number): void {
  const piece = Buffer.concat(
    Array.from({ length: perWrite }, (_, index) => EVENTS[index % EVENTS.length] ?? LAST_EVENTS),
  )
  let left = events
  const send = () => {
    while (left > 0) {
      left -= perWrite
      if (!response.write(piece)) return
    }
    response.end(LAST_EVENTS)
  }
  response.on('drain', () => {
    if (!response.writableEnded) send()
  })
  send()
}

server.on('sessionError', () => {})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(`port ${typeof address === 'object' ? address?.port : ''}`)
})
