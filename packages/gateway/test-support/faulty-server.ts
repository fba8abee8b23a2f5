// The embedded model behind a server that is wrong in one way: the first segment of the path says in which.
import { createSandbox } from '@trivium/sandbox/handler.ts'

type Json = Record<string, unknown>
type Asked = { body: Json; path: string; count: number }
/** `request`: what the model is asked instead, or a response. `reply`: what becomes of each JSON value of the response. */
type Fault = {
  request?(asked: Asked): Json | Response
  reply?(value: Json): Json
  headers?: Record<string, string>
  isWhole?: true
}

const error = (status: number, message: string, headers = {}) =>
  Response.json({ error: { message, type: 'x', code: null, param: null } }, { status, headers })
const without = (body: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
const isUnknown = ({ body }: Asked) => String(body.model).startsWith('no-such')

/** What nobody may find in a table or a recording. */
export const SECRETS = {
  key: 'sk-verysecretkey12345',
  organisation: 'org-q7Zp2mNv81',
  account: 'acme-research',
  request: 'req_0f4c11aa',
  response: 'chatcmpl-Bq81ZxKd93',
  email: 'ada@acme.example',
  project: 'blue-heron-771',
  cookie: '__cf_bm=Xy12Zk98',
}
const { key, organisation, account, request, email, project } = SECRETS

const FAULTS: Readonly<Record<string, Fault>> = {
  fine: {},
  'no-usage': { reply: (value) => without(value, 'usage') },
  'no-results': { reply: (value) => without(value, 'results') },
  'no-schema': { request: ({ body }) => without(body, 'response_format') },
  'no-tools': { request: ({ body }) => (body.tools ? error(400, 'this model has no tools') : body) },
  'no-choice': { request: ({ body }) => without(body, 'tool_choice') },
  'no-search': {
    request: ({ body }) =>
      /web_search|googleSearch/.test(JSON.stringify(body)) ? error(400, 'no searches here') : body,
  },
  'ignores-search': { request: ({ body }) => without(body, 'web_search_options') },
  'no-images': {
    request: ({ body }) =>
      JSON.stringify(body).includes('image_url') ? error(500, 'image input is not supported here') : body,
  },
  'one-ending': {
    reply: (value) => ({
      ...value,
      choices: ((value.choices ?? []) as Json[]).map((choice) =>
        choice.finish_reason ? { ...choice, finish_reason: 'stop' } : choice,
      ),
    }),
  },
  'one-model': { request: (asked) => (isUnknown(asked) ? { ...asked.body, model: 'sandbox-text' } : asked.body) },
  'no-key': { request: () => error(401, `${key} is not a key`) },
  whole: {
    // Few words, so that all of them are in the first piece.
    request: ({ body }) => JSON.parse(JSON.stringify(body).replace(/300( words.*:512)/, '3$1')),
    isWhole: true,
  },
  busy: {
    request: ({ body, count }) => (count <= 2 ? error(count === 1 ? 429 : 503, 'wait', { 'retry-after': '0' }) : body),
  },
  page: { request: () => new Response('<p>welcome</p>') },
  telling: {
    request: (asked) =>
      isUnknown(asked)
        ? error(
            404,
            `${email} of ${organisation} (${account}): projects/${project} has no such model; ${key}, ${request}`,
          )
        : asked.body,
    reply: (value) => ({ ...value, id: SECRETS.response, system_fingerprint: request, organization: account }),
    headers: { 'openai-organization': account, 'x-request-id': request, 'set-cookie': SECRETS.cookie },
  },
}

export function startTestServer() {
  const sandbox = createSandbox({ faults: false, pace: 0 })
  const counts = new Map<string, number>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(incoming) {
      const { pathname } = new URL(incoming.url)
      const [, name = '', ...rest] = pathname.split('/')
      const { request: ask, reply = (value: Json) => value, headers = {}, isWhole } = FAULTS[name] ?? {}
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      const path = `/${rest.join('/')}`
      const { method } = incoming
      if (method === 'GET') return await sandbox(new Request(`http://sandbox${path}`, incoming))
      const asked = { body: (await incoming.json()) as Json, path, count }
      const wanted = ask?.(asked) ?? asked.body
      if (wanted instanceof Response) return withHeaders(wanted, headers)
      const body = JSON.stringify(wanted)
      const response = await sandbox(new Request(`http://sandbox${path}`, { method, headers: incoming.headers, body }))
      // The embedded model does not look at images, but a good server does.
      const seen = (text: string) => (body.includes('image_url') ? text.replace('[sandbox]', 'Red.') : text)
      const type = response.headers.get('content-type') ?? ''
      if (!/event-stream/.test(type))
        return withHeaders(Response.json(reply(JSON.parse(seen(await response.text()))), response), headers)
      if (isWhole) return new Response(await response.text(), response)
      const lines = new TransformStream<Uint8Array, Uint8Array>({
        transform(piece, controller) {
          const text = new TextDecoder().decode(piece)
          const changed = text.replace(
            /^data: (\{.*\})$/gm,
            (_, data) => `data: ${JSON.stringify(reply(JSON.parse(data)))}`,
          )
          controller.enqueue(new TextEncoder().encode(changed))
        },
      })
      return withHeaders(new Response(response.body?.pipeThrough(lines) ?? null, response), headers)
    },
  })
  return { url: (fault: string) => `http://127.0.0.1:${server.port}/${fault}/v1`, stop: () => server.stop(true) }
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}
