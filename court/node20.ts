// What Node 20 lacks of what is used here, for the package; Bun and later versions of Node have it. Imported first.
export {}

Promise.withResolvers ??= <T>() => {
  let resolve: PromiseWithResolvers<T>['resolve'] = () => {}
  let reject: PromiseWithResolvers<T>['reject'] = () => {}
  const promise = new Promise<T>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}

Map.groupBy ??= <K, T>(items: Iterable<T>, keyOf: (item: T, index: number) => K) => {
  const groups = new Map<K, T[]>()
  let index = 0
  for (const item of items) {
    const key = keyOf(item, index++)
    groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return groups
}

const { prototype } = Request as { prototype: { bytes?(): Promise<Uint8Array> } }
prototype.bytes ??= async function bytes(this: Request) {
  return new Uint8Array(await this.arrayBuffer())
}
