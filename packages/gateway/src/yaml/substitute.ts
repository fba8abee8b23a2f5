// `${NAME}` in a value reads the environment, `${file:/run/secrets/x}` a file, `${vault:kv/data/x#key}` Vault; `$${` is a plain `${`.

export type Substituted = {
  text: string
  /** Names that were read, set or not. */
  names: string[]
  /** Names that are not set. */
  unset: string[]
  /** Files and secrets of Vault that cannot be used, and why. `what`: for messages. */
  unread: { written: string; what: string; reason: string }[]
  /** `${...}` that is none of them: `${A:-b}`, `${}`, `${A`. */
  malformed: string[]
}

/** `readSecret`: the text of a file, without white space around it. `readVault`: by path and key. Both throw with the reason. */
export type Sources = {
  env: Readonly<Record<string, string | undefined>>
  readSecret(path: string): string
  readVault(reference: string): string
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{(file|vault):([^{}\n]{1,1000})\}|\$\{[^}]{0,40}\}?/g

/** What is read is inserted literally: a `${` in it is not expanded again. */
export function substitute(text: string, { env, readSecret, readVault }: Sources): Substituted {
  const found: Omit<Substituted, 'text'> = { names: [], unset: [], unread: [], malformed: [] }
  const replaced = text.replace(REFERENCE, (written: string, name?: string, kind?: string, path?: string) => {
    if (written === '$${') return '${'
    if (path !== undefined) {
      const [read, what] = kind === 'file' ? [readSecret, `the file ${path}`] : [readVault, `vault:${path}`]
      try {
        return read(path)
      } catch (error) {
        found.unread.push({ written, what, reason: error instanceof Error ? error.message : String(error) })
        return ''
      }
    }
    if (name === undefined) {
      found.malformed.push(written)
      return written
    }
    found.names.push(name)
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value === undefined) found.unset.push(name)
    return value ?? ''
  })
  return { text: replaced, ...found }
}
