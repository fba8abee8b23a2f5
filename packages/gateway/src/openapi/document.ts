// The OpenAPI document of the gateway, made from its route tables and from the schemas that check what routes take.
import { VERSION } from '../observe/version.ts'
import { describeAdmin, describeConsole } from './api-operations.ts'
import { HEADERS, PARAMETERS, SECURITY_SCHEMES } from './components.ts'
import { createErrors } from './errors.ts'
import { describeModels } from './model-operations.ts'
import { createSchemas, type Json } from './schemas.ts'

export type OpenApiDocument = Json & {
  paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
  tags: readonly { name: string }[]
}

const DESCRIPTION = `One gateway to AI models, with a ledger. Model endpoints speak the vendors' protocols; the console API is what the web
console calls; the admin API is for operators and their scripts. Amounts are decimal USD as text, times are ISO 8601 in UTC, ids are text.`

/** `hasAdmin`: the admin API is served. */
export function openApiDocument({ hasAdmin }: { hasAdmin: boolean }): OpenApiDocument {
  const schemas = createSchemas()
  const errors = createErrors(schemas)
  const operations = [
    ...describeModels(errors),
    ...(hasAdmin ? describeAdmin(schemas, errors) : []),
    ...describeConsole(schemas, errors),
  ]
  const paths: Record<string, Record<string, Json>> = {}
  for (const { method, path, operation } of operations) {
    paths[path] ??= {}
    Object.assign(paths[path], { [method.toLowerCase()]: operation })
  }
  const tags = new Set(operations.flatMap(({ operation }) => operation.tags as readonly string[]))
  return {
    openapi: '3.1.0',
    info: { title: 'Trivium', version: VERSION, description: DESCRIPTION.replaceAll('\n', ' ') },
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.components,
      responses: errors.responses,
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: securitySchemes(hasAdmin),
    },
  }
}

const securitySchemes = (hasAdmin: boolean): Json =>
  Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => hasAdmin || !name.startsWith('admin')))
