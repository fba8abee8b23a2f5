// The software bill of materials, as CycloneDX 1.6 in JSON.

import type { Component } from './components.ts'

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** `time`: of the build. */
export function sbomOf(version: string, found: readonly Component[], time: Date): object {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: time.toISOString(),
      component: {
        type: 'application',
        'bom-ref': `trivium@${version}`,
        name: 'trivium',
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: found.map(({ name, version, license, integrity }) => ({
      type: 'library',
      'bom-ref': `${name}@${version}`,
      name,
      version,
      purl: purlOf(name, version),
      licenses: [{ license: { id: license } }],
      ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
    })),
    dependencies: [{ ref: `trivium@${version}`, dependsOn: found.map(({ name, version }) => `${name}@${version}`) }],
  }
}

/** `sha512-...` in base64, as npm writes it. */
function hashOf(integrity: string): { alg: string; content: string } {
  const [algorithm = '', digest = ''] = integrity.split('-', 2)
  return { alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }
}
