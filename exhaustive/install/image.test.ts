// The image, where `docker` has a server to build it: what is in it, and that it runs without rights on a read-only root.
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VERSION } from '../../packages/gateway/src/observe/version.ts'
import { compile, prepareParts } from '../../tools/build/executable.ts'
import { hostTarget } from '../../tools/build/targets.ts'

const ROOT = join(import.meta.dir, '../..')
const folder = mkdtempSync(join(tmpdir(), 'trivium-image-'))
const image = `trivium-test-${process.pid}`

async function docker(...args: string[]) {
  const child = Bun.spawn(['docker', ...args], { cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, code }
}
const hasBuilder = Bun.which('docker') !== null && (await docker('info', '--format', '{{.ServerVersion}}')).code === 0

afterAll(async () => {
  if (hasBuilder) await docker('image', 'rm', '--force', image)
  rmSync(folder, { recursive: true, force: true })
})

if (hasBuilder)
  test('the image has the executable and nothing else of its own', async () => {
    const executable = join(folder, 'executable')
    mkdirSync(executable)
    await compile(await prepareParts(join(folder, 'parts')), hostTarget(), join(executable, 'trivium'))
    const context = ['--build-context', `build=${executable}`]
    const file = ['--file', 'deploy/Containerfile', '--build-arg', `VERSION=${VERSION.replace('+', '-')}`]
    const built = await docker('buildx', 'build', '--load', ...context, ...file, '--tag', image, '.')
    expect([built.code, built.code === 0 ? '' : built.stderr]).toEqual([0, ''])
    const own = 'find /usr/local /data /src /opt /srv /home /tmp -type f 2>/dev/null; id -u'
    const inside = await docker('run', '--rm', '--entrypoint', '/bin/sh', image, '-c', own)
    expect(inside.stdout).toBe('/usr/local/bin/trivium\n10001\n')
    const shown = await docker('run', '--rm', '--read-only', '--tmpfs', '/tmp', image, 'version')
    expect([shown.stdout, shown.code]).toEqual([`Trivium ${VERSION}\n`, 0])
  })
else
  test('without a builder, the image copies one file from the stage that a release replaces', async () => {
    const lines = (await Bun.file(join(ROOT, 'deploy/Containerfile')).text()).split('\n')
    expect(lines.filter((line) => /^(COPY --from|ADD)/.test(line))).toEqual([
      'COPY --from=build /trivium /usr/local/bin/trivium',
    ])
  })
