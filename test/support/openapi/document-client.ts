// Calls operations by an OpenAPI document alone, and checks each response against it: status, media type, headers and body.
import { expect } from 'bun:test'
import {
  errorsIn,
  type Node,
  type Operation,
  operationsOf,
} from '../../../packages/gateway/test-support/openapi-document.ts'

/** Values for parameters and fields of the body that the document cannot know. `body`: instead of the example. */
export type Given = {
  parameters?: Record<string, string>
  body?: unknown
  headers?: Record<string, string>
  /** By security scheme; undefined: no credential is sent. */
  credentials?: Record<string, string> | undefined
  /** Which of the operation's security schemes is used. */
  scheme?: number
}
export type Answer = { status: number; headers: Headers; text: string; body: Node }

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

export type DocumentClient = {
  operations: Operation[]
  schemes: Record<string, { type: string; in?: string; name?: string }>
  call(operation: Operation, given?: Given): Promise<Answer>
}

export async function documentClient(url: string): Promise<DocumentClient> {
  const response = await fetch(`${url}/openapi.json`)
  const document = (await response.json()) as Node
  const { securitySchemes } = document.components as { securitySchemes: DocumentClient['schemes'] }
  return {
    operations: operationsOf(document),
    schemes: securitySchemes,
    async call(operation, given = {}) {
      const answered = await fetch(url + targetOf(operation, given), {
        method: operation.method,
        headers: {
          ...headersOf(operation, given),
          ...credentialOf(operation, given, securitySchemes, url),
        },
        ...bodyOf(operation, given),
        redirect: 'manual',
      })
      return await checked(operation, answered)
    },
  }
}

function targetOf({ path, parameters, operationId }: Operation, { parameters: given = {} }: Given): string {
  const valueFor = (name: string, example: unknown) =>
    given[name] ?? (example === undefined ? undefined : String(example))
  const query = new URLSearchParams()
  let target = path
  for (const { name, in: place, required, example, 'x-slashes': hasSlashes } of parameters) {
    const value = place === 'header' ? undefined : valueFor(name, example)
    if (place !== 'header' && required && value === undefined)
      throw new Error(`${operationId} needs a value for ${name}: add it to the table of this test`)
    if (value === undefined) continue
    if (place === 'query') query.set(name, value)
    else target = target.replace(`{${name}}`, hasSlashes ? value : encodeURIComponent(value))
  }
  return query.size === 0 ? target : `${target}?${query}`
}

/** Headers that a request must have are those of the examples. */
function headersOf({ requestBody, parameters }: Operation, { headers = {} }: Given): Record<string, string> {
  const isJson = requestBody?.content['application/json'] !== undefined
  const required = parameters.filter((each) => each.in === 'header' && each.required)
  const examples = Object.fromEntries(required.map(({ name, example }) => [name, String(example)]))
  return { ...examples, ...(isJson ? { 'content-type': 'application/json' } : {}), ...headers }
}

function credentialOf(
  { security }: Operation,
  { credentials = {}, scheme = 0 }: Given,
  schemes: DocumentClient['schemes'],
  origin: string,
): Record<string, string> {
  const [name = ''] = Object.keys(security[scheme % Math.max(1, security.length)] ?? {})
  const secret = credentials[name]
  const described = schemes[name]
  if (secret === undefined || described === undefined) return {}
  if (described.type === 'http') return { authorization: `Bearer ${secret}` }
  // Changes by a session come from a page of the gateway.
  return described.in === 'cookie'
    ? { cookie: `${described.name}=${secret}`, origin }
    : { [described.name ?? '']: secret }
}

function bodyOf({ requestBody }: Operation, given: Given): { body?: string | FormData } {
  const [type = '', content] = Object.entries(requestBody?.content ?? {})[0] ?? []
  if (content === undefined) return {}
  const value = given.body ?? content.example
  if (type !== 'multipart/form-data') return { body: JSON.stringify(value) }
  const form = new FormData()
  for (const [name, text] of Object.entries(value as Record<string, string>)) {
    const isFile = content.encoding !== undefined && name in content.encoding
    if (isFile) form.set(name, new Blob([Buffer.from(PIXEL, 'base64')], { type: 'image/png' }), text)
    else form.set(name, text)
  }
  return { body: form }
}

async function checked({ operationId, responses }: Operation, response: Response): Promise<Answer> {
  const { status, headers } = response
  const text = await response.text()
  const described = responses[status]
  const said = `${operationId} ${status} ${text.slice(0, 500)}`
  expect([said, described === undefined]).toEqual([said, false])
  expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{16}$/)
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  const types = Object.keys(described?.content ?? {})
  if (types.length === 0) expect([operationId, status, text]).toEqual([operationId, status, ''])
  else expect([said, type, types.some((each) => isOfType(type, each))]).toEqual([said, type, true])
  const schema = described?.content?.[type]?.schema
  const body = type === 'application/json' && text !== '' ? (JSON.parse(text) as Node) : {}
  if (schema && type === 'application/json') expect([said, errorsIn(schema, body)]).toEqual([said, []])
  return { status, headers, text, body }
}

const isOfType = (type: string, pattern: string): boolean =>
  new RegExp(`^${pattern.replaceAll('*', '[^/]+').replaceAll('+.', '\\+.')}$`).test(type) || pattern === type
