// `${NAME}` in a value reads the environment, `${file:/run/secrets/x}` a file; `$${` is a plain `${`.

export type Substituted = {
  text: string
  /** Names that were read, set or not. */
  names: string[]
  /** Names that are not set. */
  unset: string[]
  /** Files that cannot be used, and why. */
  unread: { path: string; reason: string }[]
  /** `${...}` that is neither: `${A:-b}`, `${}`, `${A`. */
  malformed: string[]
}

/** `readSecret`: the text of a file, without white space around it. Throws with the reason. */
export type Sources = {
  env: Readonly<Record<string, string | undefined>>
  readSecret(path: string): string
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{file:([^{}\n]{1,1000})\}|\$\{[^}]{0,40}\}?/g

/** What is read is inserted literally: a `${` in it is not expanded again. */
export function substitute(text: string, { env, readSecret }: Sources): Substituted {
  const found: Omit<Substituted, 'text'> = { names: [], unset: [], unread: [], malformed: [] }
  const replaced = text.replace(REFERENCE, (written: string, name: string | undefined, path: string | undefined) => {
    if (written === '$${') return '${'
    if (path !== undefined) return read(path)
    if (name === undefined) {
      found.malformed.push(written)
      return written
    }
    found.names.push(name)
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value === undefined) found.unset.push(name)
    return value ?? ''
  })
  function read(path: string): string {
    try {
      return readSecret(path)
    } catch (error) {
      found.unread.push({ path, reason: error instanceof Error ? error.message : String(error) })
      return ''
    }
  }
  return { text: replaced, ...found }
}
