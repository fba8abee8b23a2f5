// The document keeps the rules of OpenAPI 3.1 that its readers rely on, has every route of the tables, and says of errors what is sent.
import { describe, expect, test } from 'bun:test'
import { ERRORS, type ErrorCode } from '@trivium/protocol/canonical/error.ts'
import { DIALECTS, type DialectId } from '@trivium/protocol/dialects/index.ts'
import { ROUTES, type Route } from '@trivium/protocol/routes.ts'
import { errorsIn, inlined, type Node, operationsOf } from '../../test-support/openapi-document.ts'
import { adminRoutes } from '../admin-api/routes.ts'
import { CONSOLE_ROUTES } from '../console-api/routes.ts'
import { ENDPOINTS } from '../endpoints/index.ts'
import { openApiDocument } from './document.ts'
import { ERROR_OF_DIALECT } from './errors.ts'

const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument({ hasAdmin: true }))) as Node
const OPERATIONS = operationsOf(DOCUMENT)
const components = DOCUMENT.components as Record<string, Record<string, Node>>
const schemaOf = (name: string) => inlined(DOCUMENT, components.schemas?.[name] ?? {})

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const sorted = (names: readonly string[]) => [...names].sort()

test('every route is described, and nothing else', () => {
  const own = Object.values<Route>(ROUTES).filter(({ kind }) => kind !== 'console' && kind !== 'admin')
  const routes = [
    ...own,
    ...adminRoutes().map((route) => ({ ...route, path: `/admin/v1/${route.path}` })),
    ...CONSOLE_ROUTES.map((route) => ({ ...route, path: `/console/api/${route.path.replace('...', '')}` })),
  ]
  expect(sorted(OPERATIONS.map(nameOf))).toEqual(sorted(routes.map(nameOf)))
})

test('endpoints declare routes that exist', () => {
  const declared = Object.values(ENDPOINTS).flatMap(({ routes }) => Object.keys(routes))
  expect(declared.filter((id) => !Object.hasOwn(ROUTES, id))).toEqual([])
  expect(new Set(declared).size).toBe(declared.length)
})

test('it begins as documents of OpenAPI 3.1 do, and all names are used once', () => {
  expect(DOCUMENT).toMatchObject({ openapi: '3.1.0', info: { title: 'Trivium', version: expect.any(String) } })
  const ids = OPERATIONS.map(({ operationId }) => operationId)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index || !/^[a-z][A-Za-z0-9]+$/.test(id))).toEqual([])
  const tags = (DOCUMENT.tags as { name: string }[]).map(({ name }) => name)
  expect(sorted([...new Set(OPERATIONS.flatMap((each) => each.tags))])).toEqual(sorted(tags))
  // A path is one string with its parameters left out.
  const paths = Object.keys(DOCUMENT.paths as Node).map((path) => path.replace(/\{\w+\}/g, '{}'))
  expect(new Set(paths).size).toBe(paths.length)
  for (const group of Object.values(components))
    expect(Object.keys(group).filter((name) => !/^[A-Za-z0-9._-]+$/.test(name))).toEqual([])
})

describe.each(OPERATIONS.map((operation) => [nameOf(operation), operation] as const))('%s', (_, operation) => {
  const { path, parameters, requestBody, responses, security } = operation

  test('has all parameters of its path, each once', () => {
    const inPath = parameters.filter((each) => each.in === 'path').map(({ name }) => name)
    expect(sorted(inPath)).toEqual(sorted([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)))
    const names = parameters.map((each) => `${each.in} ${each.name}`)
    expect(new Set(names).size).toBe(names.length)
    for (const { in: place, required, schema } of parameters) {
      expect(typeof schema).toBe('object')
      if (place === 'path') expect(required).toBe(true)
    }
  })

  test('has an example of its body, which fits, as those of parameters do', () => {
    for (const { schema, example } of Object.values(requestBody?.content ?? {})) {
      expect(example).toBeDefined()
      expect(errorsIn(schema, example)).toEqual([])
    }
    for (const { schema, example } of parameters)
      if (example !== undefined) expect(errorsIn(schema, example)).toEqual([])
  })

  test('has a success, and responses with a description, a media type and a request id', () => {
    const statuses = Object.keys(responses)
    expect(statuses.filter((status) => /^(2\d\d|303)$/.test(status)).length).toBeGreaterThan(0)
    for (const [status, { description, content, headers }] of Object.entries(responses)) {
      expect(status).toMatch(/^[2-5]\d\d$/)
      expect(description).not.toBe('')
      expect(headers).toHaveProperty('x-request-id')
      const isEmpty = content === undefined
      expect([status, isEmpty]).toEqual([status, isEmpty && /^(204|202|303|304)$/.test(status)])
    }
    for (const name of security.flatMap((each) => Object.keys(each)))
      expect(Object.keys(components.securitySchemes ?? {})).toContain(name)
  })
})

test.each(Object.keys(DIALECTS) as DialectId[])('errors in the dialect %s are as described', (dialect) => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    const info = { code, message: 'A message.', param: 'field', retryAfter: 3 }
    const { body } = DIALECTS[dialect].encodeError(info, 'req_0000000000000001')
    expect([code, errorsIn(schemaOf(ERROR_OF_DIALECT[dialect]), body)]).toEqual([code, []])
    expect([code, errorsIn(schemaOf('AnyError'), body)]).toEqual([code, []])
  }
})

test('without the admin API there is no trace of it', () => {
  const text = JSON.stringify(openApiDocument({ hasAdmin: false }))
  expect(text).not.toMatch(/\/admin\/|adminKey|AdminError|"Admin/)
  expect(operationsOf(JSON.parse(text)).length).toBe(OPERATIONS.length - adminRoutes().length)
})
