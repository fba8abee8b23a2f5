// The Chromium that npm has installed, unpacked once for each version of its package, with a folder of fonts that are all it sees:
// Open Sans for Latin letters (the package has it) and, where the packages of the exhaustive tests are installed, Noto Sans SC for Chinese.

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fontFromWoff } from './woff.ts'

export type Program = { executablePath: string; env?: Record<string, string> }

const MODULES = join(import.meta.dir, '../../../node_modules')
/** Unpacking takes seconds of CPU: it is done once for each version of the packages. */
const UNPACKED = join(MODULES, '.cache/trivium-chromium')
const CHINESE = join(import.meta.dir, '../../../exhaustive/node_modules/@fontsource/noto-sans-sc')
const CHINESE_WEIGHTS = [400, 700]

let packaged: Promise<Program> | undefined

export function packagedChromium(): Promise<Program> {
  packaged ??= findOrUnpack()
  return packaged
}

async function findOrUnpack(): Promise<Program> {
  const versionOf = async (folder: string) => (await Bun.file(join(folder, 'package.json')).json()).version
  const chinese = existsSync(CHINESE) ? `chinese-${await versionOf(CHINESE)}` : 'latin'
  const folder = join(UNPACKED, `${await versionOf(join(MODULES, '@sparticuz/chromium'))}-${chinese}`)
  if (!existsSync(folder)) await unpack(folder)
  const fonts = join(folder, 'fonts')
  // Both variables: the file of another FONTCONFIG_FILE would be read instead of the one in the folder.
  const env = {
    LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
    FONTCONFIG_PATH: fonts,
    FONTCONFIG_FILE: join(fonts, 'fonts.conf'),
  }
  return { executablePath: join(folder, 'chromium'), env }
}

const UNPACK = "import chromium from '@sparticuz/chromium'; console.log(await chromium.executablePath())"
/** With this variable the package also unpacks the libraries that small systems lack. */
const WITH_LIBRARIES = { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' }

/**
 * The package unpacks into the system's folder for temporary files, under fixed names, and uses what is there, even if it is
 * another version or half unpacked. So it gets a folder of its own, in a process of its own. Of several processes that do this at
 * once, the first to rename its folder wins.
 */
async function unpack(finished: string): Promise<void> {
  await mkdir(UNPACKED, { recursive: true })
  const folder = await mkdtemp(join(UNPACKED, 'unpacking-'))
  removeAtExit(folder)
  const env = { ...process.env, ...WITH_LIBRARIES, TMPDIR: folder }
  const child = Bun.spawn([process.execPath, '-e', UNPACK], { cwd: import.meta.dir, env, stderr: 'pipe' })
  const [path, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`Chromium could not be unpacked: ${errors}`)
  if (path.trim() !== join(folder, 'chromium')) throw new Error(`Chromium was unpacked as ${path.trim()}`)
  for (const weight of existsSync(CHINESE) ? CHINESE_WEIGHTS : []) {
    const file = join(CHINESE, `files/noto-sans-sc-chinese-simplified-${weight}-normal.woff`)
    await writeFile(join(folder, `fonts/noto-sans-sc-${weight}.ttf`), fontFromWoff(await readFile(file)))
  }
  // The package's own file names folders that are not there; without any font, text is invisible and fields crash the page.
  await writeFile(join(folder, 'fonts/fonts.conf'), fontConfiguration(finished))
  await rename(folder, finished).catch((error) => {
    if (!existsSync(finished)) throw error
    return rm(folder, { recursive: true, force: true })
  })
}

/** No folder of the system: what a machine has installed must not change the width of a text. */
const fontConfiguration = (folder: string): string => `<?xml version="1.0" ?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
  <alias binding="same"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="same"><family>monospace</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`

/** Whatever ends this process, even a kill: a shell waits for the end of its input, which only this process holds open. */
function removeAtExit(folder: string): void {
  const script = `trap '' INT TERM HUP; cat > /dev/null; rm -rf "$0"`
  Bun.spawn(['sh', '-c', script, folder], { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' }).unref()
}
