// The code of threads that start later than their process. It is read when the process starts: an upgrade that replaces the
// source files of a running server must not change or remove what its threads load.

const loaded = new Map<string, Promise<string>>()

/**
 * Begins to read the file of a thread and all that it imports. Returns what `new Worker` takes: the code as of now, or the file
 * itself where it cannot be read as source, as in a compiled executable, which contains its files.
 */
export function threadCode(file: URL): Promise<string> {
  const known = loaded.get(file.href)
  if (known) return known
  const code = bundle(file).catch(() => file.href)
  loaded.set(file.href, code)
  return code
}

async function bundle(file: URL): Promise<string> {
  const { outputs } = await Bun.build({ entrypoints: [Bun.fileURLToPath(file)], target: 'bun' })
  const [code] = outputs
  if (!code) throw new Error(`${file.href} has no code`)
  return URL.createObjectURL(new Blob([await code.text()], { type: 'text/javascript' }))
}
