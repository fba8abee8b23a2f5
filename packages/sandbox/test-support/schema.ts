// For the tests: a small, independent check of a value against a JSON schema.

type Schema = { readonly [keyword: string]: unknown }

const FORMATS: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/,
  duration: /^P(?:\d+[YMWD])+$/,
  email: /^[^@\s]+@[^@\s]+\.[a-z]+$/,
  hostname: /^[a-z0-9]+(?:\.[a-z0-9-]+)*$/,
  ipv4: /^(?:\d{1,3}\.){3}\d{1,3}$/,
  ipv6: /^[0-9a-f:]+$/,
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  uri: /^[a-z]+:\/\/\S+$/,
}

export function misfits(schema: unknown, value: unknown, root: unknown = schema, path = '$'): string[] {
  if (typeof schema !== 'object' || schema === null) return schema === false ? [`${path}: not allowed`] : []
  const rules: Schema = { ...schema }
  const found: string[] = []
  const wrong = (text: string) => found.push(`${path}: ${text}`)
  if (typeof rules.$ref === 'string') found.push(...misfits(pointed(rules.$ref, root), value, root, path))
  if ('const' in rules && !same(rules.const, value)) wrong('not the constant')
  if (Array.isArray(rules.enum) && !rules.enum.some((item) => same(item, value))) wrong('not in the enum')
  if (rules.type !== undefined && !typesOf(rules).some((type) => hasType(value, type)))
    wrong(`not a ${typesOf(rules)[0]}`)
  for (const keyword of ['anyOf', 'oneOf']) {
    const list = rules[keyword]
    if (Array.isArray(list) && !list.some((item) => misfits(item, value, root).length === 0))
      wrong(`fits none of ${keyword}`)
  }
  if (Array.isArray(rules.allOf)) found.push(...rules.allOf.flatMap((item) => misfits(item, value, root, path)))
  if (typeof value === 'string') checkString(rules, value, wrong)
  if (typeof value === 'number') checkNumber(rules, value, wrong)
  if (Array.isArray(value)) found.push(...checkArray(rules, value, root, path))
  else if (typeof value === 'object' && value !== null) found.push(...checkObject(rules, { ...value }, root, path))
  return found
}

function checkString(rules: Schema, value: string, wrong: (text: string) => void): void {
  if (value.length < Number(rules.minLength ?? 0)) wrong('too short')
  if (value.length > Number(rules.maxLength ?? value.length)) wrong('too long')
  const format = FORMATS[String(rules.format)]
  if (format && !format.test(value)) wrong(`not a ${rules.format}`)
}

function checkNumber(rules: Schema, value: number, wrong: (text: string) => void): void {
  if (value < Number(rules.minimum ?? value) || value <= Number(rules.exclusiveMinimum ?? -Infinity)) wrong('too small')
  if (value > Number(rules.maximum ?? value) || value >= Number(rules.exclusiveMaximum ?? Infinity)) wrong('too large')
  if (rules.multipleOf !== undefined && !Number.isInteger(value / Number(rules.multipleOf))) wrong('off the grid')
}

function checkArray(rules: Schema, value: unknown[], root: unknown, path: string): string[] {
  const found: string[] = []
  if (value.length < Number(rules.minItems ?? 0)) found.push(`${path}: too few`)
  if (value.length > Number(rules.maxItems ?? value.length)) found.push(`${path}: too many`)
  const texts = value.map((item) => JSON.stringify(item))
  if (rules.uniqueItems === true && new Set(texts).size < texts.length) found.push(`${path}: repeats itself`)
  const prefix = Array.isArray(rules.prefixItems) ? rules.prefixItems : []
  return [...found, ...value.flatMap((item, at) => misfits(prefix[at] ?? rules.items, item, root, `${path}[${at}]`))]
}

function checkObject(rules: Schema, value: Schema, root: unknown, path: string): string[] {
  const properties: Schema = typeof rules.properties === 'object' ? { ...rules.properties } : {}
  const required = Array.isArray(rules.required) ? rules.required : []
  const names = Object.keys(value)
  const rule = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : rules.additionalProperties)
  return [
    ...names.flatMap((name) => misfits(rule(name), value[name], root, `${path}.${name}`)),
    ...required.filter((name) => !names.includes(name)).map((name) => `${path}.${name}: missing`),
    ...(names.length < Number(rules.minProperties ?? 0) ? [`${path}: too few properties`] : []),
  ]
}

function typesOf(rules: Schema): string[] {
  const types = Array.isArray(rules.type) ? rules.type : [rules.type]
  return types.map((type) => String(type).toLowerCase())
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

function pointed(reference: string, root: unknown): unknown {
  const steps = reference.split('/').slice(1)
  return steps.reduce<unknown>((at, step) => Object(at)[step.replaceAll('~1', '/').replaceAll('~0', '~')], root)
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
