// For tests: a handler that describes the request in its response, in every form that a response can have.

import type { HttpRequest } from '../src/request.ts'
import type { HttpResponse, StreamedBody } from '../src/response.ts'
import { testHeaders } from './serve.ts'

export function textResponse(status: number, text: string, headers: Record<string, string> = {}): HttpResponse {
  const all = testHeaders()
  for (const [name, value] of Object.entries(headers)) all.set(name, value)
  return { status, headers: all, body: Buffer.from(text, 'latin1') }
}

export const streamedResponse = (run: StreamedBody['run']): HttpResponse => ({
  status: 200,
  headers: testHeaders(),
  body: { run },
})

export async function readText({ body }: HttpRequest): Promise<string> {
  let text = ''
  for (let piece = await body.read(); piece; piece = await body.read()) text += Buffer.from(piece).toString('latin1')
  return text
}

/** The response to a request whose body is read. */
export const echoOf = (method: string, target: string, body: string) => `${method} ${target} [${body}]`

export function echo(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
  const { method, target } = request
  const [path] = target.split('?')
  switch (path) {
    case '/at-once':
      return textResponse(200, `${method} ${target}`)
    case '/unread':
      return Bun.sleep(0).then(() => textResponse(401, `${method} ${target}`))
    case '/rejected-early':
      return textResponse(503, `${method} ${target}`)
    case '/cookies':
      return cookies(request)
    case '/goodbye':
      return textResponse(200, `${method} ${target}`, { connection: 'close' })
    case '/streamed':
      return readText(request).then((body) => streamedResponse(pieceByPiece(echoOf(method, target, body))))
    case '/thrown':
      throw new Error('thrown')
    case '/rejected':
      return Promise.reject(new Error('rejected'))
    default:
      return readText(request).then((body) => textResponse(200, echoOf(method, target, body)))
  }
}

function cookies({ headers }: HttpRequest): HttpResponse {
  const values = headers.getAll('x-tag')
  const response = textResponse(
    200,
    JSON.stringify({ joined: headers.get('x-tag'), values, absent: headers.getAll('etag') }),
  )
  for (const cookie of ['a=1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
    response.headers.append('set-cookie', cookie)
  return response
}

const pieceByPiece =
  (text: string): StreamedBody['run'] =>
  async (sink) => {
    for (const letter of text.slice(0, 20)) await sink.write(Buffer.from(letter, 'latin1'))
    await Bun.sleep(0)
    return Buffer.from(text.slice(20), 'latin1')
  }
