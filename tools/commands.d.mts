export function bundledCommands(root: string): string | undefined
export function bundleCommands(root: string, bun: string): void
export function linkCommand(root: string): void
