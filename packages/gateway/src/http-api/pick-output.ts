// Only the fields of its schema are sent of a response, so that a value that carries more, such as a row of the database, reveals nothing
// by accident.
import type { TSchema } from 'typebox'
import { fits } from '../request/schema/check.ts'

type Node = TSchema & { type?: string; properties?: Record<string, Node>; anyOf?: readonly Node[]; items?: Node }
type Pick = (value: unknown) => unknown

/** A function that copies what the schema lists; a field that the value does not have stays absent. */
export function pickerOf({ properties, anyOf, items }: Node): Pick {
  if (properties) return fieldsOf(Object.entries(properties).map(([name, schema]) => [name, pickerOf(schema)]))
  if (items) {
    const pick = pickerOf(items)
    return (value) => (Array.isArray(value) ? value.map(pick) : null)
  }
  if (anyOf) return oneOf(anyOf)
  return (value) => value
}

const fieldsOf =
  (fields: readonly [string, Pick][]): Pick =>
  (value) => {
    if (typeof value !== 'object' || value === null) return null
    const copy: Record<string, unknown> = {}
    for (const [name, pick] of fields) {
      const field: unknown = Reflect.get(value, name)
      if (field !== undefined) copy[name] = pick(field)
    }
    return copy
  }

function oneOf(schemas: readonly Node[]): Pick {
  const members = schemas.filter(({ type }) => type !== 'null')
  const [only] = members
  const picks = members.map(pickerOf)
  return (value) => {
    if (value === null) return null
    if (only && members.length === 1) return picks[0]?.(value)
    // Objects without a common shape: the first one that fits without what is not sent.
    return picks.map((pick) => pick(value)).find((copy, index) => fits(members[index] ?? {}, copy)) ?? null
  }
}
