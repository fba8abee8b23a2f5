// `${NAME}` in a value reads the environment; `$${` is a plain `${`.

export type Substituted = {
  text: string
  /** Names that were read, set or not. */
  names: string[]
  /** Names that are not set. */
  unset: string[]
  /** `${...}` that is not a name: `${A:-b}`, `${}`, `${A`. */
  malformed: string[]
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$\{[^}]{0,40}\}?/g

/** Values from the environment are inserted literally: a `${` in them is not expanded again. */
export function substitute(text: string, env: Readonly<Record<string, string | undefined>>): Substituted {
  const names: string[] = []
  const unset: string[] = []
  const malformed: string[] = []
  const result = text.replace(REFERENCE, (written: string, name: string | undefined) => {
    if (written === '$${') return '${'
    if (name === undefined) {
      malformed.push(written)
      return written
    }
    names.push(name)
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    if (value === undefined) unset.push(name)
    return value ?? ''
  })
  return { text: result, names, unset, malformed }
}
