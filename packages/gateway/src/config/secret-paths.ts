// Where the configuration has secrets. In the store each is sealed, and only named in the value of its entry.

/** `*`: each item of a list. Settings by their whole path. */
const SECRET_PATHS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  upstream: [['keys', '*'], ['proxy']],
  setting: [
    ['mail', 'url'],
    ['alerts', 'webhooks', '*', 'secret'],
    ['server', 'metrics_token'],
    ['media', 's3', 'access_key'],
    ['media', 's3', 'secret_key'],
  ],
}

/** A copy of an entry's value in which `replace` has been applied to every secret. What is absent stays absent. */
export function mapSecrets(
  { kind, id, value }: { kind: string; id: string; value: unknown },
  replace: (secret: unknown) => unknown,
): unknown {
  const own = kind === 'setting' ? id.split('.') : []
  const within = (SECRET_PATHS[kind] ?? []).filter((path) => own.every((step, index) => path[index] === step))
  return within.reduce((mapped, path) => mapAt(mapped, path.slice(own.length), replace), value)
}

function mapAt(value: unknown, [step, ...rest]: readonly string[], replace: (secret: unknown) => unknown): unknown {
  if (step === undefined) return replace(value)
  if (typeof value !== 'object' || value === null) return value
  if (step === '*') return Array.isArray(value) ? value.map((item) => mapAt(item, rest, replace)) : value
  if (!Object.hasOwn(value, step)) return value
  return { ...value, [step]: mapAt(Reflect.get(value, step), rest, replace) }
}
