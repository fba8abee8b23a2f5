// The schema language of the service: a subset of JSON schema; anything else is rejected.
import { isObject } from '../../../request/fields.ts'
import { readFields } from './fields.ts'

const KEYWORDS = new Set([
  'anyOf',
  'default',
  'description',
  'enum',
  'example',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'nullable',
  'pattern',
  'properties',
  'propertyOrdering',
  'required',
  'title',
  'type',
])

export function checkSchema(schema: unknown, path: string): void {
  const { properties, items, anyOf } = readFields(schema, path, KEYWORDS)
  if (isObject(properties)) {
    for (const [name, property] of Object.entries(properties)) checkSchema(property, `${path}.properties[${name}]`)
  }
  if (items !== undefined) checkSchema(items, `${path}.items`)
  if (Array.isArray(anyOf)) {
    for (const [index, variant] of anyOf.entries()) checkSchema(variant, `${path}.any_of[${index}]`)
  }
}
