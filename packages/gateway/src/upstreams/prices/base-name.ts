/** Resellers add a vendor, a region or a version to a name: `us.anthropic.claude-opus-4-5-20251101-v1:0`. */
export function baseName(model: string): string {
  const last = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return last
    .replace(/^(?:[a-z-]+\.)*anthropic\./, '')
    .replace(/-v\d+(?::\d+)?$/, '')
    .replace('@', '-')
    .replace(/^claude-(\d)\.(\d)/, 'claude-$1-$2')
    .replace(/^(claude-[a-z]+-\d)\.(\d)/, '$1-$2')
}
