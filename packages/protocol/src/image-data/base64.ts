// Base64 text of images: its length.

/** Bytes that padded base64 text stands for. */
export function base64Bytes(base64: string): number {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0
  return (base64.length / 4) * 3 - padding
}

/** Characters of padded base64 text for so many bytes. */
export const base64Length = (bytes: number): number => Math.ceil(bytes / 3) * 4
