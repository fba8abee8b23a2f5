// The list of certificates in packages/gateway/src/upstreams/certified/index.ts.

const IMPORTS = /^import \w+ from '\.\/[^']+\.json' with \{ type: 'json' \}\n/gm
const LIST = /\[[\w\s,]*\] as Certificate\[\]/

/** `text`: the module; `files`: the names of all tables. */
export function certificateList(text: string, files: readonly string[]): string {
  const stem = (file: string) => file.replace('.json', '')
  const names = files.toSorted((one, other) => (stem(one) < stem(other) ? -1 : 1))
  const imports = names.map((file) => `import ${nameOf(file)} from './${file}' with { type: 'json' }\n`).join('')
  const at = text.search(IMPORTS)
  const plain = text.replace(IMPORTS, '')
  return `${plain.slice(0, at)}${imports}${plain.slice(at)}`.replace(
    LIST,
    `[${names.map(nameOf).join(', ')}] as Certificate[]`,
  )
}

/** `llamaServer0c1e570` of `llama-server-0c1e570.json`. */
const nameOf = (file: string): string =>
  file.replace('.json', '').replace(/-(\w)/g, (_, first: string) => first.toUpperCase())
