// An operation as a command for a shell.
import type { Json } from '../schemas.ts'

export type Parameter = {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: Json
  example?: unknown
}
/** By media type. */
export type Content = Readonly<Record<string, { schema: Json; example?: unknown }>>
type Call = {
  method: string
  path: string
  parameters: readonly Parameter[]
  security: readonly Json[]
  body: Content | undefined
}

const KEYS: readonly [scheme: string, header: string][] = [
  ['adminKey', 'Authorization: Bearer ak-...'],
  ['clientKey', 'Authorization: Bearer sk-...'],
  ['session', 'Cookie: trivium_session=...'],
]

export function curlOf({ method, path, parameters, security, body }: Call): string {
  const query = parameters.filter(
    ({ in: place, required, example }) => place === 'query' && (required || example !== undefined),
  )
  const written = query.map(({ name, example = '...' }) => `${name}=${String(example)}`).join('&')
  const inPath = parameters.reduce(
    (url, { name, example }) => (example === undefined ? url : url.replace(`{${name}}`, String(example))),
    path,
  )
  const options = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...KEYS.filter(([scheme]) => security.some((each) => scheme in each))
      .slice(0, 1)
      .map(([, header]) => `-H ${quoted(header)}`),
    ...bodyOf(body),
  ]
  return [`curl "$TRIVIUM_URL${inPath}${written === '' ? '' : `?${written}`}"`, ...options].join(' \\\n  ')
}

function bodyOf(content: Content = {}): string[] {
  const { 'application/json': json, 'multipart/form-data': form } = content
  if (form)
    return Object.entries((form.example ?? {}) as Json).map(
      ([name, value]) => `-F ${quoted(`${name}=${fileMark(form.schema, name)}${String(value)}`)}`,
    )
  return json?.example === undefined
    ? []
    : [`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(json.example))}`]
}

/** curl sends a file if its name follows an @. */
const fileMark = ({ properties }: Json, name: string): string =>
  (properties as Readonly<Record<string, Json>> | undefined)?.[name]?.contentMediaType === undefined ? '' : '@'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
