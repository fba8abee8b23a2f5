// Reading a reply whose size somebody else decides.

/** The whole body; undefined when it is larger than `limit`, in which case the rest is not read. */
export async function readAtMost(reply: Response, limit: number): Promise<Uint8Array | undefined> {
  const announced = Number(reply.headers.get('content-length') ?? Number.NaN)
  if (announced > limit) {
    await reply.body?.cancel()
    return undefined
  }
  // A server cannot send more than it announced, so one native read is safe.
  if (announced >= 0) return await reply.bytes()
  const reader = reply.body?.getReader()
  if (!reader) return new Uint8Array(0)
  const chunks: Uint8Array[] = []
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.length
    if (size > limit) {
      await reader.cancel()
      return undefined
    }
    chunks.push(value)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size)
}
