// How the sandbox counts tokens: without a tokenizer, so that figures can be checked by hand.

const BYTES_PER_TOKEN = 4
/** For each image, audio clip and file, whatever its size. */
export const ATTACHMENT_TOKENS = 85

export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text)
}

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

export function bytesOfTokens(tokens: number): number {
  return tokens * BYTES_PER_TOKEN
}

/** The longest prefix of whole characters within so many bytes. */
export function fitBytes(text: string, bytes: number): string {
  if (utf8Bytes(text) <= bytes) return text
  let kept = ''
  let used = 0
  for (const character of text) {
    used += utf8Bytes(character)
    if (used > bytes) break
    kept += character
  }
  return kept
}
