// What a file says, as plain JSON: aliases, merges and `${NAME}` are resolved.
import { isMap, isScalar, isSeq, type Node } from 'yaml'
import type { YamlValue } from './document.ts'
import { writtenFields } from './fields.ts'
import { substitute } from './substitute.ts'

/** Numbers that JSON would not write back as they are stay text: `2.50` -> `"2.50"`. Empty fields are left out. */
export function plainValue(value: YamlValue): unknown {
  const { context, path } = value
  const node = context.resolve(value.node)
  const plain = (child: Node) => plainValue({ context, node: child, path })
  if (isMap(node)) {
    const fields = new Map<string, unknown>()
    for (const { name, value: child } of writtenFields(node, value)) {
      const found = child === undefined ? null : plain(child)
      if (found !== null && !fields.has(name)) fields.set(name, found)
    }
    return Object.fromEntries(fields)
  }
  if (isSeq(node)) return node.items.map((item) => plain(item as Node))
  if (!isScalar(node)) return null
  if (typeof node.value === 'string') return context.isLiteral ? node.value : substitute(node.value, context).text
  if (typeof node.value === 'boolean' || node.value === null) return node.value
  const text = node.source ?? String(node.value)
  return /^\d{1,15}$/.test(text) && String(Number(text)) === text ? Number(text) : text
}
