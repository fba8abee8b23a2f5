// The master secret, and during a rotation the one that it replaces: what was made with either is accepted, and only one is in force.

/** `current`: what is encrypted and signed from now on; it changes when a rotation begins. */
export type MasterSecrets = { current: string; readonly accepted: readonly string[] }

/** Text: the only one. */
export type MasterSecret = string | MasterSecrets

const asSecrets = (secret: MasterSecret): MasterSecrets =>
  typeof secret === 'string' ? { current: secret, accepted: [secret] } : secret

/** One value for each accepted secret, made at once. `all`: that of the current one first. */
export function bySecret<T>(secret: MasterSecret, make: (secret: string) => T): { current(): T; all(): readonly T[] } {
  const secrets = asSecrets(secret)
  const made = new Map(secrets.accepted.map((each) => [each, make(each)]))
  const current = () => made.get(secrets.current) as T
  return { current, all: () => (made.size === 1 ? [current()] : [...new Set([current(), ...made.values()])]) }
}
