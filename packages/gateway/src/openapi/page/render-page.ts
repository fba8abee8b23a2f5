// The OpenAPI document as a page without scripts: operations by tag, each with what it takes and returns, and a command that calls it.
import type { OpenApiDocument } from '../document.ts'
import type { Json } from '../schemas.ts'
import { type Content, curlOf, type Parameter } from './curl.ts'

type Operation = {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  security: readonly Json[]
  parameters: readonly (Parameter | Reference)[]
  requestBody?: Body
  responses: Readonly<Record<string, Response | Reference>>
}
type Body = { required?: boolean; content: Content }
type Response = { description: string; headers?: Json; content?: Content }
type Reference = { $ref: string }

/** Fields of fields are shown to this depth. */
const DEEPEST = 4

export function renderPage(document: OpenApiDocument): string {
  const { info, tags, paths, components } = document as unknown as {
    info: { title: string; version: string; description: string }
    tags: readonly { name: string }[]
    paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    components: { schemas: Readonly<Record<string, Json>> }
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const inTag = (tag: string) => operations.filter(({ operation }) => operation.tags.includes(tag))
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<header>
<h1>${info.title} API ${info.version}</h1>
<p>${info.description}</p>
<p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1)</p>
</header>
<nav aria-label="Contents"><ul>
${tags.map(({ name }) => html`<li><a href="#${anchor(name)}">${name}</a></li>`)}
<li><a href="#schemas">Schemas</a></li>
</ul></nav>
<main>
${tags.map(
  ({ name }) => html`<section><h2 id="${anchor(name)}">${name}</h2>
${inTag(name).map(({ method, path, operation }) => operationMarkup(method, path, operation, document))}
</section>`,
)}
<section><h2 id="schemas">Schemas</h2>
${Object.entries(components.schemas).map(
  // A link to something inside opens it.
  ([name, schema]) =>
    html`<details><summary><code>${name}</code></summary><div id="${name}">${schemaMarkup(schema)}</div></details>`,
)}
</section>
</main>
</body>
</html>
`.text
}

const anchor = (tag: string): string => tag.toLowerCase().replace(/[^a-z]+/g, '-')

function operationMarkup(method: string, path: string, operation: Operation, document: OpenApiDocument): Markup {
  const { operationId, summary, description, security, requestBody } = operation
  const parameters = operation.parameters.map((each) => resolved<Parameter>(each, document))
  const call = { method: method.toUpperCase(), path, parameters, security, body: requestBody?.content }
  return html`<details id="${operationId}">
<summary><b class="${method}">${call.method}</b> <code>${path}</code> <span class="muted">${summary}</span></summary>
${description === undefined ? [] : html`<p>${renderMarkdown(description)}</p>`}
${parameters.length === 0 ? [] : html`<h3>Parameters</h3><ul class="fields">${parameters.map(parameterMarkup)}</ul>`}
${requestBody === undefined ? [] : html`<h3>Body</h3>${contentMarkup(requestBody.content)}`}
<h3>Responses</h3>
<ul class="fields">${Object.entries(operation.responses).map(([status, each]) => responseMarkup(status, each, document))}</ul>
<h3>Example</h3><pre tabindex="0"><code>${curlOf(call)}</code></pre>
</details>
`
}

const parameterMarkup = ({ name, in: place, required, description = '', schema }: Parameter): Markup =>
  html`<li><code>${name}</code> <span class="muted">${typeOf(schema)}, ${place}${required ? ', required' : ''}</span> ${renderMarkdown(description || String(schema.description ?? ''))}</li>`

function responseMarkup(status: string, response: Response | Reference, document: OpenApiDocument): Markup {
  const { description, content = {}, headers = {} } = resolved<Response>(response, document)
  const isError = '$ref' in response
  return html`<li><b>${status}</b> ${renderMarkdown(description)}
${isError ? [] : html`<span class="muted">${Object.keys(headers).join(', ')}</span>`}
${isError ? Object.values(content).map(({ schema }) => html`<span class="muted">${typeOf(schema)}</span>`) : contentMarkup(content)}</li>`
}

const contentMarkup = (content: Content): Markup[] =>
  Object.entries(content).map(([type, { schema }]) => html`<p class="muted">${type}</p>${schemaMarkup(schema)}`)

function schemaMarkup(schema: Json, depth = 0): Markup {
  const {
    properties,
    items,
    anyOf,
    description = '',
    required = [],
  } = schema as {
    properties?: Readonly<Record<string, Json>>
    items?: Json
    anyOf?: readonly Json[]
    description?: string
    required?: readonly string[]
  }
  if (properties && depth < DEEPEST)
    return html`<ul class="fields">${Object.entries(properties).map(
      ([name, property]) =>
        html`<li><code>${name}</code> <span class="muted">${typeOf(property)}${required.includes(name) ? '' : ', optional'}</span> ${schemaMarkup(property, depth + 1)}</li>`,
    )}</ul>`
  if (items) return schemaMarkup(items, depth)
  const members = anyOf?.filter(({ type }) => type !== 'null') ?? []
  if (members.length > 0)
    return html`${members.map((each) => (depth === 0 ? html`<p>${typeOf(each)}</p>${schemaMarkup(each, depth)}` : schemaMarkup(each, depth)))}`
  if (depth === 0) return html`<p>${typeOf(schema)} ${renderMarkdown(description)}</p>`
  return renderMarkdown(description)
}

/** Words of an enumeration, or the name of a type. */
function typeOf(schema: Json): Markup {
  const {
    $ref,
    type,
    anyOf,
    items,
    enum: words,
  } = schema as {
    $ref?: string
    type?: string | readonly string[]
    anyOf?: readonly Json[]
    items?: Json
    enum?: readonly unknown[]
  }
  if ($ref !== undefined) return html`<a href="#${nameIn($ref)}">${nameIn($ref)}</a>`
  if (words) return html`${words.join(' | ')}`
  if (anyOf) return html`${anyOf.flatMap((each, index) => (index === 0 ? [typeOf(each)] : [html` or `, typeOf(each)]))}`
  if (items) return html`list of ${typeOf(items)}`
  return html`${type === undefined ? 'any' : [type].flat().join(' or ')}`
}

const nameIn = (reference: string): string => reference.split('/').at(-1) ?? ''

/** References of the document lead to its components alone. */
function resolved<T>(value: T | Reference, document: OpenApiDocument): T {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const segments = value.$ref.split('/').slice(1)
  return segments.reduce<unknown>((within, name) => (within as Json)[name], document) as T
}

/** HTML with everything escaped that is put into it. */
class Markup {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Part = string | Markup | readonly Part[]

const html = (pieces: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(pieces.map((piece, index) => piece + (index < parts.length ? textOf(parts[index] as Part) : '')).join(''))

function textOf(part: Part): string {
  if (part instanceof Markup) return part.text
  return typeof part === 'string' ? Bun.escapeHTML(part) : part.map(textOf).join('')
}

/** Descriptions have code between backquotes, and nothing else. */
const renderMarkdown = (text: string): Markup =>
  html`${text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`
