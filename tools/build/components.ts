// What an executable contains besides the project's own code: the packages of the lockfile that are no tools for tests.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Component = { name: string; version: string; license: string; integrity: string | undefined; text: string }

type Locked = {
  version?: string
  license?: string
  integrity?: string
  link?: boolean
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
}

/** In the order of their names. Packages of platforms are parts of Bun. */
export function components(root: string): Component[] {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>
  }
  const found = Object.entries(packages).flatMap(([path, locked]) => {
    const [, name] = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? []
    const { version, license = 'unknown', integrity, link, dev, devOptional, optional } = locked
    if (name === undefined || version === undefined || link || dev || devOptional || optional) return []
    return [{ name, version, license, integrity, text: licenseText(join(root, path)) }]
  })
  return found.sort((one, two) => (one.name < two.name ? -1 : 1))
}

/** Empty: the package has no such file, and its name of a license has to do. */
function licenseText(folder: string): string {
  if (!existsSync(folder)) return ''
  const file = readdirSync(folder).find((name) => /^(licen[cs]e|copying|unlicense)(\.\w+)?$/i.test(name))
  return file === undefined ? '' : readFileSync(join(folder, file), 'utf8').trim()
}
