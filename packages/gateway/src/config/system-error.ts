// Errors of the file system and the network in words for operators.

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of the path is not a folder',
  EEXIST: 'a file of that name exists where a folder is needed',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EFBIG: 'the file is larger than the file system or a limit of the process allows',
}

export function describeSystemError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}
