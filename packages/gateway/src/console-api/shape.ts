// The fields that a route of the console API returns, listed by name. Only these are sent, so that a value that carries more, such
// as a row of the store, reveals nothing by accident. The type of a shape names every field of its JSON type: it does not compile
// while one is missing.

/** `true`: a value without fields of its own, or an object with any fields. A list has the shape of its entries in brackets. */
export type Shape<T> = [NonNullable<T>] extends [readonly (infer E)[]]
  ? readonly [Shape<E>]
  : [NonNullable<T>] extends [object]
    ? string extends keyof NonNullable<T>
      ? true
      : { readonly [K in AnyKey<NonNullable<T>>]: Shape<FieldOf<NonNullable<T>, K>> }
    : true

/** The fields of every member of a union. */
type AnyKey<T> = T extends unknown ? keyof T : never
type FieldOf<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never

/** A copy with the fields of the shape alone; a field that the value does not have stays absent. */
export function shaped(value: unknown, shape: unknown): unknown {
  if (shape === true) return value
  if (typeof value !== 'object' || value === null) return null
  if (Array.isArray(shape)) return Array.isArray(value) ? value.map((each) => shaped(each, shape[0])) : null
  const copy: Record<string, unknown> = {}
  for (const [name, inner] of Object.entries(shape as object)) {
    const field: unknown = Reflect.get(value, name)
    if (field !== undefined) copy[name] = shaped(field, inner)
  }
  return copy
}
