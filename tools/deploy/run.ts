// npm run deploy-check: the files of deploy/ as the programs that read them see them. What is not installed is named, and not checked.

import { chmodSync, copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const DEPLOY = join(import.meta.dir, '../../deploy')
const work = mkdtempSync(join(tmpdir(), 'trivium-deploy-'))

/** `needs`: arguments with which the program says that it has what the check needs. */
type Check = { program: string; what: string; needs?: readonly string[]; command(): string[] }

const CHECKS: readonly Check[] = [
  {
    program: 'systemd-analyze',
    what: 'trivium.service',
    command: () => {
      // It demands that the program exists.
      const unit = join(work, 'trivium.service')
      const program = join(work, 'trivium')
      writeFileSync(program, '#!/bin/sh\n')
      chmodSync(program, 0o755)
      writeFileSync(
        unit,
        readFileSync(join(DEPLOY, 'trivium.service'), 'utf8').replaceAll('/usr/local/bin/trivium', program),
      )
      return ['verify', unit]
    },
  },
  {
    program: 'nginx',
    what: 'proxies/nginx.conf',
    command: () => {
      const file = join(work, 'nginx.conf')
      writeFileSync(
        file,
        `events {}\nhttp {\n${withCertificate(readFileSync(join(DEPLOY, 'proxies/nginx.conf'), 'utf8'))}}\n`,
      )
      return ['-t', '-c', file, '-p', work]
    },
  },
  {
    program: 'caddy',
    what: 'proxies/Caddyfile',
    command: () => ['validate', '--adapter', 'caddyfile', '--config', join(DEPLOY, 'proxies/Caddyfile')],
  },
  ...['haproxy.cfg', 'haproxy-one-node.cfg'].map((name) => ({
    program: 'haproxy',
    what: `proxies/${name}`,
    command: () => {
      const file = join(work, name)
      writeFileSync(file, withCertificate(readFileSync(join(DEPLOY, 'proxies', name), 'utf8')))
      return ['-c', '-f', file]
    },
  })),
  {
    program: 'promtool',
    what: 'prometheus/alerts.yaml',
    command: () => ['check', 'rules', join(DEPLOY, 'prometheus/alerts.yaml')],
  },
  {
    program: 'docker',
    what: 'compose.yaml',
    needs: ['compose', 'version'],
    command: () => ['compose', '--file', join(DEPLOY, 'compose.yaml'), 'config', '--quiet'],
  },
  ...readdirSync(join(DEPLOY, 'chart/examples')).map((name) => ({
    program: 'helm',
    what: `chart with examples/${name}`,
    command: () => ['lint', '--strict', join(DEPLOY, 'chart'), '--values', join(DEPLOY, 'chart/examples', name)],
  })),
]

/** A certificate of this machine in place of the operator's. */
function withCertificate(text: string): string {
  const [cert, key, both] = ['cert.pem', 'key.pem', 'both.pem'].map((name) => join(work, name))
  if (!cert || !key || !both) return text
  const made = Bun.spawnSync([
    'openssl',
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '1',
    '-subj',
    '/CN=gateway.example.com',
    '-keyout',
    key,
    '-out',
    cert,
  ])
  if (made.exitCode !== 0) throw new Error('openssl is needed to check proxies')
  copyFileSync(cert, both)
  writeFileSync(both, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'))
  return text
    .replace('/etc/ssl/gateway.example.com.pem', cert)
    .replace('/etc/ssl/gateway.example.com.key', key)
    .replace('/etc/haproxy/gateway.example.com.pem', both)
}

let failed = 0
for (const { program, what, needs, command } of CHECKS) {
  const path = Bun.which(program)
  if (!path || (needs && Bun.spawnSync([path, ...needs]).exitCode !== 0)) {
    console.log(`${what}: not checked, ${[program, ...(needs?.slice(0, 1) ?? [])].join(' ')} is not installed`)
    continue
  }
  const { exitCode, stdout, stderr } = Bun.spawnSync([path, ...command()])
  const messages = `${stdout}${stderr}`.trim()
  if (exitCode === 0) console.log(`${what}: ok (${program})`)
  else console.log(`${what}: ${program} exited with code ${exitCode}\n${messages}`)
  failed += exitCode === 0 ? 0 : 1
}
rmSync(work, { recursive: true })
process.exit(failed === 0 ? 0 : 1)
