// Objects of a generate-content request: names in either spelling; unknown names are rejected.
import { badRequest } from '../../../request/errors.ts'
import { isObject, type Json } from '../../../request/fields.ts'

/** The fields by their camelCase names. User data is not decoded by this, and keeps its names. */
export function readFields(value: unknown, path: string, known: ReadonlySet<string>): Json {
  if (!isObject(value)) throw badRequest(`Invalid value at '${path}': expected an object.`, path)
  const fields: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(value)) {
    const camel = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    if (!known.has(camel)) {
      const place = path === '' ? '' : ` at '${path}'`
      throw badRequest(`Invalid JSON payload received. Unknown name "${name}"${place}: Cannot find field.`, path)
    }
    if (field !== null) fields[camel] = field
  }
  return fields
}

export function readList(value: unknown, path: string): readonly unknown[] {
  if (value === undefined) return []
  if (!Array.isArray(value)) throw badRequest(`Invalid value at '${path}': expected a list.`, path)
  return value
}
